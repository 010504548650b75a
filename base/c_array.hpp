#pragma once
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include <macaw/error.hpp>

namespace macaw::io {

/// The bytes of the longest array of integers between -128 and 255 that a C or C++ source defines, as `xxd -i` and the
/// generators of TensorFlow Lite for Microcontrollers write networks; none if it defines none.
[[nodiscard]] std::optional<std::vector<std::byte>> c_array(std::string_view source);

/// Whole contents of the file of a network: those of its array if the name is that of a C or C++ source (.c, .cc, .cpp,
/// .h, .hpp, .inc). kInvalidFile: there is no array in such a file. Other errors: those of read_file().
[[nodiscard]] Result<std::vector<std::byte>> read_network_file(const std::filesystem::path& file);

}  // namespace macaw::io
