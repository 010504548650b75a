#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include <macaw/error.hpp>

namespace macaw::io {

/// A sentence about a network of another framework, by its first bytes and the end of its name, and how to make of it a
/// file that is read here; empty if it is not known to be one.
[[nodiscard]] std::string foreign_format(std::span<const std::byte> bytes, std::string_view name);

/// A file that was read, whatever its name, or why it was not: for a file that is not of the format that was expected
/// (kInvalidFile), the text of foreign_format() if there is one.
template <class T>
[[nodiscard]] Result<T> or_foreign_format(Result<T> read, std::span<const std::byte> bytes, std::string_view name) {
  if (read || read.error().code != ErrorCode::kInvalidFile) return read;
  if (auto format = foreign_format(bytes, name); !format.empty())
    return fail(ErrorCode::kInvalidFile, std::move(format), {.file = read.error().place.file});
  return read;
}

}  // namespace macaw::io
