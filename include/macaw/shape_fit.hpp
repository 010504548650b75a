#pragma once
#include <macaw/tensor.hpp>

namespace macaw {

/// Whether elements of one shape are, in their order, those of the other without a doubt about what is meant: extents
/// of 1 more or less, or neighbouring dimensions made one ([3072] or [32, 96] for [1, 32, 32, 3], not [1, 3, 32, 32]).
[[nodiscard]] bool same_arrangement(const Shape& a, const Shape& b);

}  // namespace macaw
