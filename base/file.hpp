#pragma once
#include <cstddef>
#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

#include <macaw/error.hpp>

namespace macaw::io {

/// Whole contents of a regular file.
[[nodiscard]] Result<std::vector<std::byte>> read_file(const std::filesystem::path& file);

/// Writes beside the target and renames, so that a file is either old, absent or complete.
[[nodiscard]] Result<void> write_file(const std::filesystem::path& file, std::span<const std::byte> bytes);
[[nodiscard]] Result<void> write_file(const std::filesystem::path& file, std::string_view text);

/// mkdir -p.
[[nodiscard]] Result<void> make_directory(const std::filesystem::path& directory);

}  // namespace macaw::io
