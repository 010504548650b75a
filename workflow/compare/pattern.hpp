#pragma once
#include <macaw/tensor.hpp>

#include <string>

namespace macaw::compare {

/// What the differences of two integer tensors of the same type and shape have in common, in words, and the largest of
/// them; empty if there is none.
[[nodiscard]] std::string pattern_of(const Tensor& expected, const Tensor& actual);

}  // namespace macaw::compare
