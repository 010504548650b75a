#include <algorithm>
#include <cmath>

#include "reference/tflite/logarithm.hpp"
#include "reference/tflite/op/softmax.hpp"
#include "reference/tflite/unary.hpp"

// tensorflow/tflite-micro @90b983c2b tensorflow/lite/micro/kernels/log_softmax.cc,
// tensorflow/lite/kernels/internal/reference/log_softmax.h.
namespace macaw::tflite::LOG_SOFTMAX {
namespace {

void of_floats(std::span<const float> in, std::span<float> out) {
  const float max = *std::ranges::max_element(in);
  float sum = 0;
  for (const float x : in) sum += std::exp(x - max);
  const float log_sum = std::log(sum);
  std::ranges::transform(in, out.begin(), [&](float x) { return x - max - log_sum; });
}

struct Scales {
  SoftmaxScaling into;
  FixedMultiplier back;
};

Result<Scales> scales(const Call& call) {
  MACAW_ASSIGN(const Affine from, affine(call.inputs[0]));
  MACAW_ASSIGN(const Affine to, affine(call.outputs[0]));
  if (to.scale != 16.0F / 256 || to.zero_point != 127)
    return unsupported("an output of another scale than 1/16, or another zero point than 127");
  Scales s;
  MACAW_ASSIGN(s.into, SoftmaxScaling::create(1, from.scale));
  if (s.into.multiplier.shift < 1) return unsupported("an input of a scale of 2^-26 or less");
  MACAW_ASSIGN(s.back,
               fraction_multiplier(std::ldexp(1.0, 31 - s.into.multiplier.shift) / s.into.multiplier.multiplier));
  return s;
}

Result<void> of_bytes(std::span<const std::int8_t> in, const Scales& s, std::span<std::int8_t> out) {
  const std::int32_t max = *std::ranges::max_element(in);
  std::int64_t sum = 0;
  for (const std::int8_t x : in) sum += rounding_shift(s.into.exponential(x - max), kSoftmaxSumBits);
  if (sum > std::numeric_limits<std::int32_t>::max()) return unsupported("a sum of exponentials above 4096");
  const std::int32_t log_sum = log_of_sum(static_cast<std::int32_t>(sum));
  const std::int32_t least =
      std::max(s.into.least - 1, scale(std::numeric_limits<std::int32_t>::min() + log_sum, s.back));
  constexpr int kShift = 22;  // from 5 integer bits to 4 and 4 bits below the point
  std::ranges::transform(in, out.begin(), [&](std::int8_t x) {
    if (x - max <= least) return std::int8_t{-128};
    const auto difference = static_cast<std::int32_t>(std::int64_t{scale(x - max, s.into.multiplier)} - log_sum);
    return clamped<std::int8_t>(std::int64_t{rounding_shift(difference, kShift)} + 127);
  });
  return {};
}

Result<void> log_softmax(Call& call) {
  MACAW_ASSIGN(const DType dtype, same_type_and_shape(call));
  const Tensor& in = *call.inputs[0].value;
  if (in.rank() == 0) return invalid("the input has no axis");
  if (dtype != DType::kFP32 && dtype != DType::kINT8) return unsupported_type(dtype);
  const auto depth = static_cast<std::size_t>(in.shape().back());
  Scales s;
  if (dtype == DType::kINT8) {
    MACAW_ASSIGN(s, scales(call));
  }
  for (std::size_t at = 0; at < static_cast<std::size_t>(in.size()); at += depth) {
    if (dtype == DType::kFP32)
      of_floats(in.data<float>().subspan(at, depth), call.output().data<float>().subspan(at, depth));
    else
      MACAW_CHECK(
          of_bytes(in.data<std::int8_t>().subspan(at, depth), s, call.output().data<std::int8_t>().subspan(at, depth)));
  }
  return {};
}

}  // namespace

extern constexpr Definition kDefinition = {"LOG_SOFTMAX", 1, 1, 1, 1, log_softmax};

}  // namespace macaw::tflite::LOG_SOFTMAX
