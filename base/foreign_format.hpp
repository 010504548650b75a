#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace macaw::io {

/// Recognises a network of another framework by its first bytes and the end of its name, and how to come from it to a
/// file that is read here; empty: the file is not known as one.
[[nodiscard]] std::string foreign_format(std::span<const std::byte> bytes, std::string_view name);

}  // namespace macaw::io
