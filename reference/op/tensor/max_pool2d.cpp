#include <algorithm>
#include <limits>

#include "reference/op/tensor/window.hpp"

namespace macaw::tosa {
namespace {

constexpr Argument kArguments[] = {
    {Category::kInput, "input", "in_out_t", "[N,IH,IW,C]", 4, 4},
    {Category::kAttribute, "kernel", "i32_t", "[2]"},
    {Category::kAttribute, "stride", "i32_t", "[2]"},
    {Category::kAttribute, "pad", "i32_t", "[4]"},
    {Category::kAttribute, "nan_mode", "nan_propagation_mode_t"},
    {Category::kOutput, "output", "in_out_t", "[N,OH,OW,C]", 4, 4},
};
constexpr std::string_view kTypes[] = {"in_out_t"};

Result<std::vector<Shape>> shapes(const View& v) {
  return window_shape({v.in_shape(0)[0], pooling_output(v, 0), pooling_output(v, 1), v.in_shape(0)[3]});
}

constexpr Check kChecks[] = {
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

template <class T>
Result<void> kernel(Call& call) {
  auto* out = call.out_data<T>(0).data();
  const auto channels = call.in(0).shape()[3];
  for_each_window(call, [&](const Window& window) {
    std::fill_n(out, channels, std::numeric_limits<T>::min());
    for (auto y = window.top; y < window.bottom; ++y) {
      const auto* in = call.in_data<T>(0).data() + window.offset(y);
      for (auto x = window.left; x < window.right; ++x, in += channels)
        for (std::int64_t c = 0; c < channels; ++c) out[c] = std::max(out[c], in[c]);
    }
    out += channels;
  });
  return {};
}

constexpr TypeRow kRows[] = {
    {{DType::kINT8}, kInProInt, 0, kernel<std::int8_t>},
    {{DType::kINT16}, kInExtInt16, 0, kernel<std::int16_t>},
};

}  // namespace

extern constexpr Definition kMAX_POOL2D = {Op::kMAX_POOL2D, kArguments, kTypes, kRows, kChecks, shapes};

}  // namespace macaw::tosa
