#pragma once
#include <algorithm>
#include <string_view>

#include "reference/tosa/arith/checked.hpp"
#include "reference/tosa/op/declare.hpp"

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

inline constexpr Check kKernelLevel =
    level("kernel", "kernel must not exceed the level's MAX_KERNEL",
          [](const View& v) { return !any_above(v, Attr::k_kernel, v.level.max_kernel); });
inline constexpr Check kStrideLevel =
    level("stride", "stride must not exceed the level's MAX_STRIDE",
          [](const View& v) { return !any_above(v, Attr::k_stride, v.level.max_stride); });
inline constexpr Check kPadLevel = level("pad", "pad must not exceed the level's MAX_KERNEL",
                                         [](const View& v) { return !any_above(v, Attr::k_pad, v.level.max_kernel); });

template <class V>
inline constexpr Check kInputZeroPoint =
    error_if("input_zp", "input_zp must be 0 unless the input is int8", [](const V& v) {
      return v.dtype("input") != kINT8 && !v.is_zero("input_zp");
    }).reads("input_zp");
template <class V>
inline constexpr Check kWeightZeroPoint =
    error_if("weight_zp", "weight_zp must be 0 unless the weight is int8", [](const V& v) {
      return v.dtype("weight") != kINT8 && !v.is_zero("weight_zp");
    }).reads("weight_zp");
template <class V>
inline constexpr Check kOutputZeroPoint =
    error_if("output_zp", "output_zp must be 0 unless the output is int8", [](const V& v) {
      return v.dtype("output") != kINT8 && !v.is_zero("output_zp");
    }).reads("output_zp");
inline constexpr Check kPadNotNegative =
    error_if("pad", "pad must not be negative", [](const View& v) { return any_below<0>(v, Attr::k_pad); });
inline constexpr Check kStridePositive =
    error_if("stride", "stride must be at least 1", [](const View& v) { return any_below<1>(v, Attr::k_stride); });
inline constexpr Check kDilationPositive = error_if("dilation", "dilation must be at least 1",
                                                    [](const View& v) { return any_below<1>(v, Attr::k_dilation); });
inline constexpr Check kKernelPositive =
    error_if("kernel", "kernel must be at least 1", [](const View& v) { return any_below<1>(v, Attr::k_kernel); });

/// Whether extent `kernel` * dilation[axis] is not above the level's MAX_KERNEL.
inline bool within_level(const View& view, std::size_t axis, std::int64_t kernel) {
  return Wide{kernel} * view.attrs(Attr::k_dilation)[axis] <= view.level.max_kernel;
}

/// Output extent of a window of `reach` elements: (in + pads - reach) / stride + 1, or -1 if the division is not exact
/// or an operand is out of range.
[[nodiscard]] std::int64_t window_output(std::int64_t in, Wide pads, Wide reach, std::int64_t stride);

/// Output extent of spatial axis `axis` of a convolution with the attributes pad, stride and dilation, or of a pooling
/// operator with kernel, pad and stride. `in` and `kernel` are the extents along that axis.
[[nodiscard]] std::int64_t convolution_output(const View& view, std::size_t axis, std::int64_t in, std::int64_t kernel);
[[nodiscard]] std::int64_t pooling_output(const View& view, std::size_t axis, std::int64_t in);

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
