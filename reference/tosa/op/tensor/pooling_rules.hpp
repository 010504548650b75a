#pragma once
#include "reference/tosa/op/declare.hpp"
#include "reference/tosa/op/tensor/window.hpp"

// Rules of AVG_POOL2D and MAX_POOL2D, which those with kernel, stride and pad as inputs have too.

namespace macaw::tosa {

template <class V>
std::int64_t pooled_height(const V& v) {
  return pooling_output(v, 0, v.dim("IH"));
}
template <class V>
std::int64_t pooled_width(const V& v) {
  return pooling_output(v, 1, v.dim("IW"));
}
template <class V>
Result<std::vector<Shape>> pooling_shapes(const V& v) {
  return window_shape({v.dim("N"), pooled_height(v), pooled_width(v), v.dim("C")});
}

inline constexpr Check kPoolSumInRange = found_by_kernel("output", "a sum must be in the range of its scale's shift");
inline constexpr Check kPoolSumFits = found_by_kernel("output", "every sum must fit 32 bits");

inline constexpr Check kPadWithinWidth = error_if("pad", "pad at the left and right must be less than the kernel width",
                                                  [](const View& v) { return pad_reaches_kernel(v, 1); });
inline constexpr Check kPadWithinHeight =
    error_if("pad", "pad at the top and bottom must be less than the kernel height",
             [](const View& v) { return pad_reaches_kernel(v, 0); });
template <class V>
inline constexpr Check kPooledHeight =
    error_if("output", kHeightRule, [](const V& v) { return v.dim("OH") != pooled_height(v); });
template <class V>
inline constexpr Check kPooledWidth =
    error_if("output", kWidthRule, [](const V& v) { return v.dim("OW") != pooled_width(v); });

template <class V>
inline constexpr Check kAvgPoolRules[] = {
    kKernelLevel,     kStrideLevel,    kPadLevel,       kInputZeroPoint<V>, kOutputZeroPoint<V>,
    kKernelPositive,  kStridePositive, kPadNotNegative, kPadWithinWidth,    kPadWithinHeight,
    kPooledHeight<V>, kPooledWidth<V>, kPoolSumFits,    kPoolSumInRange,
};

template <class V>
inline constexpr Check kMaxPoolRules[] = {
    kKernelLevel,    kStrideLevel,    kPadLevel,        kKernelPositive,  kStridePositive,
    kPadNotNegative, kPadWithinWidth, kPadWithinHeight, kPooledHeight<V>, kPooledWidth<V>,
};

}  // namespace macaw::tosa
