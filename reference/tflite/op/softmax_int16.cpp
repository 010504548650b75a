#include <algorithm>
#include <bit>
#include <cmath>

#include "reference/tflite/op/softmax.hpp"

// tensorflow/tflite-micro @90b983c2b tensorflow/lite/micro/kernels/softmax_common.cc,
// tensorflow/lite/kernels/internal/reference/softmax.h, SoftmaxInt16.
namespace macaw::tflite {
namespace {

void row(std::span<const std::int16_t> in, FixedMultiplier by, std::span<std::int16_t> out) {
  const std::int32_t max = *std::ranges::max_element(in);
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < in.size(); ++i)
    sum += out[i] = on_lines(SoftmaxInt16Scaling::exponential(), scale(in[i] - max, by) + 32767);
  // The largest of them has the exponential 1, and 2^15 rows of 2^16 do not fit a tensor.
  const int zeros = std::countl_zero(static_cast<std::uint32_t>(sum));
  const auto shifted = static_cast<std::int32_t>(((sum << (zeros - 1)) + (1 << 13)) >> 14);
  const std::int32_t reciprocal = on_lines(SoftmaxInt16Scaling::reciprocal(), shifted - (1 << 15) - (1 << 16));
  const int right = 31 - zeros;
  for (auto& value : out) {
    const std::int64_t product = std::int64_t{value} * reciprocal + (std::int64_t{1} << (right - 1));
    value = static_cast<std::int16_t>(std::clamp<std::int64_t>(product >> right, 0, 32767));
  }
}

}  // namespace

Result<SoftmaxInt16Scaling> SoftmaxInt16Scaling::create(float beta, float scale) {
  MACAW_ASSIGN(const auto by, fixed_multiplier(double{scale} * double{beta} / (10.0 / 65535.0)));
  return SoftmaxInt16Scaling{by};
}

const FunctionLines& SoftmaxInt16Scaling::exponential() {
  static const auto kLines =
      function_lines({10.0F / 65535, 32767}, {2.0F / 65535, 0}, [](float x) { return std::exp(x); });
  return kLines;
}

const FunctionLines& SoftmaxInt16Scaling::reciprocal() {
  static const auto kLines =
      function_lines({1.0F / 65535, -32768}, {2.0F / 65535, 0}, [](float x) { return 1.0F / (1.0F + x); });
  return kLines;
}

Result<void> softmax_int16(Call& call, float beta) {
  const Tensor& in = *call.inputs[0].value;
  MACAW_ASSIGN(const Affine from, affine(call.inputs[0]));
  MACAW_ASSIGN(const Affine to, affine(call.outputs[0]));
  MACAW_CHECK(expect(call.output(), DType::kINT16, "the output"));
  constexpr double kUnit = 1.0 / 32768;
  if (from.zero_point != 0 || to.zero_point != 0 || std::abs(double{to.scale} - kUnit) > kUnit / 1000)
    return unsupported("zero points that are not 0, or an output of another scale than 1/32768");
  MACAW_ASSIGN(const auto scaling, SoftmaxInt16Scaling::create(beta, from.scale));
  constexpr std::size_t kMostElements = 65535;
  const auto depth = static_cast<std::size_t>(in.shape().back());
  if (depth > kMostElements) return unsupported("a sum of more than 65535 exponentials");
  for (std::size_t at = 0; at < static_cast<std::size_t>(in.size()); at += depth)
    row(in.data<std::int16_t>().subspan(at, depth), scaling.multiplier,
        call.output().data<std::int16_t>().subspan(at, depth));
  return {};
}

}  // namespace macaw::tflite
