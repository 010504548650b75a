#pragma once
#include "reference/op/tensor/window.hpp"

// Rules of AVG_POOL2D and MAX_POOL2D, which those with kernel, stride and pad as inputs have too.

namespace macaw::tosa {

[[nodiscard]] inline Result<std::vector<Shape>> pooling_shapes(const View& v) {
  return window_shape({v.in_shape(0)[0], pooling_output(v, 0), pooling_output(v, 1), v.in_shape(0)[3]});
}

inline constexpr Check kPoolSumInRange = found_by_kernel("output", "a sum must be in the range of its scale's shift");
inline constexpr Check kPoolSumFits = found_by_kernel("output", "every sum must fit 32 bits");

inline constexpr Check kAvgPoolRules[] = {
    kKernelLevel,
    kStrideLevel,
    kPadLevel,
    {Rule::kErrorIf, "input_zp", "input_zp must be 0 unless the input is int8",
     [](const View& v) { return v.inputs[0].dtype != DType::kINT8 && !v.is_zero(1); }, value_of(1)},
    {Rule::kErrorIf, "output_zp", "output_zp must be 0 unless the output is int8",
     [](const View& v) { return v.inputs[0].dtype != DType::kINT8 && !v.is_zero(2); }, value_of(2)},
    kKernelPositive,
    kStridePositive,
    kPadNotNegative,
    {Rule::kErrorIf, "pad", "pad at the left and right must be less than the kernel width",
     [](const View& v) { return pad_reaches_kernel(v, 1); }},
    {Rule::kErrorIf, "pad", "pad at the top and bottom must be less than the kernel height",
     [](const View& v) { return pad_reaches_kernel(v, 0); }},
    {Rule::kErrorIf, "output", kHeightRule, [](const View& v) { return v.out_shape(0)[1] != pooling_output(v, 0); }},
    {Rule::kErrorIf, "output", kWidthRule, [](const View& v) { return v.out_shape(0)[2] != pooling_output(v, 1); }},
    kPoolSumFits,
    kPoolSumInRange,
};

inline constexpr Check kMaxPoolRules[] = {
    kKernelLevel,
    kStrideLevel,
    kPadLevel,
    kKernelPositive,
    kStridePositive,
    kPadNotNegative,
    {Rule::kErrorIf, "pad", "pad at the left and right must be less than the kernel width",
     [](const View& v) { return pad_reaches_kernel(v, 1); }},
    {Rule::kErrorIf, "pad", "pad at the top and bottom must be less than the kernel height",
     [](const View& v) { return pad_reaches_kernel(v, 0); }},
    {Rule::kErrorIf, "output", kHeightRule, [](const View& v) { return v.out_shape(0)[1] != pooling_output(v, 0); }},
    {Rule::kErrorIf, "output", kWidthRule, [](const View& v) { return v.out_shape(0)[2] != pooling_output(v, 1); }},
};

}  // namespace macaw::tosa
