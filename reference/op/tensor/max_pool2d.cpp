#include <algorithm>
#include <limits>

#include "reference/fast/window/float_pool.hpp"
#include "reference/op/tensor/pooling_rules.hpp"
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

// As in REDUCE_MAX, NaN is the neutral element without NaNs to propagate.
struct Float {
  template <class T>
  static Result<void> run(Call& call) {
    using Limits = std::numeric_limits<T>;
    const auto keep = [](T value, T) { return value; };
    if (ignores_nan(call))
      float_pool(
          call, Limits::quiet_NaN(), [](T a, T b) { return float_max<true>(a, b); }, keep);
    else
      float_pool(
          call, -Limits::infinity(), [](T a, T b) { return float_max<false>(a, b); }, keep);
    return {};
  }
};

constexpr TypeRow kRows[] = {
    {{DType::kINT8}, kInProInt, 0, kernel<std::int8_t>},
    {{DType::kINT16}, kInExtInt16, 0, kernel<std::int16_t>},
    {{DType::kFP8E4M3}, kInExtFp8E4M3, 0, float_kernel<Float>},
    {{DType::kFP8E5M2}, kInExtFp8E5M2, 0, float_kernel<Float>},
    MACAW_FLOAT_ROWS(float_kernel<Float>),
};

}  // namespace

extern constexpr Definition kMAX_POOL2D = {Op::kMAX_POOL2D, kArguments, kTypes, kRows, kMaxPoolRules, pooling_shapes};

}  // namespace macaw::tosa
