#pragma once
#include <algorithm>
#include <string_view>

#include "reference/arith/checked.hpp"
#include "reference/op/def.hpp"

// Rules that the operators with a sliding window share. Attributes are in the order of the axes: kernel, stride and
// dilation [(d,) y, x], pad and out_pad [(d0, d1,) top, bottom, left, right].

namespace macaw::tosa {

template <std::int64_t kMinimumValue>
bool any_below(const View& view, Attr attribute) {
  for (const auto value : view.attrs(attribute))
    if (value < kMinimumValue) return true;
  return false;
}
inline bool any_above(const View& view, Attr attribute, std::int64_t limit) {
  for (const auto value : view.attrs(attribute))
    if (value > limit) return true;
  return false;
}

inline constexpr Check kKernelLevel{Rule::kLevel, "kernel", "kernel must not exceed the level's MAX_KERNEL",
                                    [](const View& v) { return any_above(v, Attr::k_kernel, v.level.max_kernel); }};
inline constexpr Check kStrideLevel{Rule::kLevel, "stride", "stride must not exceed the level's MAX_STRIDE",
                                    [](const View& v) { return any_above(v, Attr::k_stride, v.level.max_stride); }};
inline constexpr Check kPadLevel{Rule::kLevel, "pad", "pad must not exceed the level's MAX_KERNEL",
                                 [](const View& v) { return any_above(v, Attr::k_pad, v.level.max_kernel); }};

inline constexpr Check kInputZeroPoint{Rule::kErrorIf, "input_zp", "input_zp must be 0 unless the input is int8",
                                       [](const View& v) { return v.inputs[0].dtype != DType::kINT8 && !v.is_zero(3); },
                                       value_of(3)};
inline constexpr Check kWeightZeroPoint{
    Rule::kErrorIf, "weight_zp", "weight_zp must be 0 unless the weight is int8",
    [](const View& v) { return v.inputs[1].dtype != DType::kINT8 && !v.is_zero(4); }, value_of(4)};
inline constexpr Check kPadNotNegative{Rule::kErrorIf, "pad", "pad must not be negative",
                                       [](const View& v) { return any_below<0>(v, Attr::k_pad); }};
inline constexpr Check kStridePositive{Rule::kErrorIf, "stride", "stride must be at least 1",
                                       [](const View& v) { return any_below<1>(v, Attr::k_stride); }};
inline constexpr Check kDilationPositive{Rule::kErrorIf, "dilation", "dilation must be at least 1",
                                         [](const View& v) { return any_below<1>(v, Attr::k_dilation); }};
inline constexpr Check kKernelPositive{Rule::kErrorIf, "kernel", "kernel must be at least 1",
                                       [](const View& v) { return any_below<1>(v, Attr::k_kernel); }};

/// Whether extent `kernel` * dilation[axis] is above the level's MAX_KERNEL.
inline bool reach_exceeds_level(const View& view, std::size_t axis, std::int64_t kernel) {
  return Wide{kernel} * view.attrs(Attr::k_dilation)[axis] > view.level.max_kernel;
}

/// Output extent of a window of `reach` elements: (in + pads - reach) / stride + 1, or -1 if the division is not exact
/// or an operand is out of range.
[[nodiscard]] std::int64_t window_output(std::int64_t in, Wide pads, Wide reach, std::int64_t stride);

/// Output extent of spatial axis `axis` of a convolution, whose input has it at `axis` + 1 and whose kernel is
/// `kernel`.
[[nodiscard]] std::int64_t convolution_output(const View& view, std::size_t axis, std::int64_t kernel);
/// The same for a pooling operator.
[[nodiscard]] std::int64_t pooling_output(const View& view, std::size_t axis);

inline constexpr std::string_view kHeightRule =
    "the output height must be (input height + padding - window) / stride + 1, without a remainder";
inline constexpr std::string_view kWidthRule =
    "the output width must be (input width + padding - window) / stride + 1, without a remainder";

/// Outcome of a shape function that met -1.
[[nodiscard]] Result<std::vector<Shape>> window_shape(Shape shape);

/// Pooling rules: pad smaller than kernel along `axis`.
inline bool pad_reaches_kernel(const View& view, std::size_t axis) {
  const auto& pad = view.attrs(Attr::k_pad);
  const auto kernel = view.attrs(Attr::k_kernel)[axis];
  return pad[2 * axis] >= kernel || pad[2 * axis + 1] >= kernel;
}

}  // namespace macaw::tosa
