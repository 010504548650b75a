#include <algorithm>
#include <limits>

#include "reference/arith/scale.hpp"
#include "reference/op/tensor/window.hpp"

namespace macaw::tosa {
namespace {

constexpr Argument kArguments[] = {
    {Category::kInput, "input", "in_out_t", "[N,IH,IW,C]", 4, 4},
    {Category::kInput, "input_zp", "in_out_t", "[1]", 1, 1, false, true},
    {Category::kInput, "output_zp", "in_out_t", "[1]", 1, 1, false, true},
    {Category::kAttribute, "kernel", "i32_t", "[2]"},
    {Category::kAttribute, "stride", "i32_t", "[2]"},
    {Category::kAttribute, "pad", "i32_t", "[4]"},
    {Category::kAttribute, "acc_type", "acc_type_t"},
    {Category::kOutput, "output", "in_out_t", "[N,OH,OW,C]", 4, 4},
};
constexpr std::string_view kTypes[] = {"in_out_t", "acc_t"};

Result<std::vector<Shape>> shapes(const View& v) {
  return window_shape({v.in_shape(0)[0], pooling_output(v, 0), pooling_output(v, 1), v.in_shape(0)[3]});
}

constexpr Check kChecks[] = {
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
};

template <class T>
Result<void> kernel(Call& call) {
  const std::int32_t in_zp = call.in_data<T>(1)[0], out_zp = call.in_data<T>(2)[0];
  const auto channels = call.in(0).shape()[3];
  auto* out = call.out_data<T>(0).data();
  std::vector<std::int32_t> sums(static_cast<std::size_t>(channels));
  std::int32_t mark = 0;
  bool scales = true;
  for_each_window(call, [&](const Window& window) {
    std::fill(sums.begin(), sums.end(), 0);
    for (auto y = window.top; y < window.bottom; ++y) {
      const auto* in = call.in_data<T>(0).data() + window.offset(y);
      for (auto x = window.left; x < window.right; ++x, in += channels)
        for (std::int64_t c = 0; c < channels; ++c) {
          const auto value = in[c] - in_zp;
          const auto sum = static_cast<std::int32_t>(static_cast<std::uint32_t>(sums[c]) + static_cast<std::uint32_t>(value));
          mark |= (sums[c] ^ sum) & (value ^ sum);
          sums[c] = sum;
        }
    }
    const auto count = static_cast<std::uint32_t>((window.bottom - window.top) * (window.right - window.left));
    const auto scale = reciprocal_scale(std::max(count, 1u));
    for (std::int64_t c = 0; c < channels; ++c) {
      constexpr std::int64_t kMin = std::numeric_limits<T>::min(), kMax = std::numeric_limits<T>::max();
      const std::int64_t average = apply_scale_32(sums[c], scale, false, scales);
      out[c] = static_cast<T>(std::clamp(average + out_zp, kMin, kMax));
    }
    out += channels;
  });
  call.require(mark >= 0, "output", "every sum must fit 32 bits");
  call.require(scales, "output", "a sum must be in the range of its scale's shift");
  return {};
}

constexpr TypeRow kRows[] = {
    {{DType::kINT8, DType::kINT32}, kInProInt, 0, kernel<std::int8_t>},
    {{DType::kINT16, DType::kINT32}, kInExtInt16, 0, kernel<std::int16_t>},
};

}  // namespace

extern constexpr Definition kAVG_POOL2D = {Op::kAVG_POOL2D, kArguments, kTypes, kRows, kChecks, shapes};

}  // namespace macaw::tosa
