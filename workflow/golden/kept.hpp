#pragma once
#include <macaw/dtype.hpp>
#include <macaw/error.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace macaw::golden {

/// Contents of a tensor as golden.json keeps them: compressed by zlib, in hexadecimal digits.
[[nodiscard]] std::string kept(std::span<const std::byte> bytes);

/// "12 of 100 elements differ, at most by 3; the first is element 7: 5 -> 8"; empty if none does. Errors: kInvalidFile
/// if either text was not written by kept().
[[nodiscard]] Result<std::optional<std::string>> kept_difference(const std::string& then, const std::string& now,
                                                                 DType dtype);

}  // namespace macaw::golden
