#include "reference/tflite/op/softmax.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include <fmt/format.h>

// lite/kernels/internal/reference/softmax.h and lite/micro/kernels/softmax_common.cc; uint8: google-ai-edge/LiteRT
// tflite/kernels/activations.cc.
namespace macaw::tflite {
namespace {

constexpr int kDifferenceBits = 5;  // integer bits of what goes into exp

}  // namespace

Result<SoftmaxScaling> SoftmaxScaling::create(float beta, float scale) {
  constexpr double kLargest = 2147483647.0;
  const double real = std::min(double{beta} * double{scale} * (1 << (31 - kDifferenceBits)), kLargest);
  if (!(real > 1)) return unsupported(fmt::format("beta {} times scale {}", beta, scale));
  SoftmaxScaling result;
  MACAW_ASSIGN(result.multiplier, fixed_multiplier(real));
  constexpr double kReach = ((1 << kDifferenceBits) - 1) * static_cast<double>(1 << (31 - kDifferenceBits));
  result.least = -static_cast<std::int32_t>(std::floor(std::ldexp(kReach, -result.multiplier.shift)));
  return result;
}

std::int32_t SoftmaxScaling::exponential(std::int32_t difference) const {
  if (difference < least) return 0;
  const std::int64_t shifted = std::int64_t{difference} * (std::int64_t{1} << multiplier.shift);
  return exp_of_negative(doubling_high_mul(static_cast<std::int32_t>(shifted), multiplier.multiplier));
}

}  // namespace macaw::tflite

namespace macaw::tflite::SOFTMAX {
namespace {

template <class In, class Out>
Result<void> row(std::span<const In> in, const SoftmaxScaling& scaling, std::span<Out> out) {
  const std::int32_t max = *std::ranges::max_element(in);
  std::int64_t sum = 0;
  for (const In value : in) sum += rounding_shift(scaling.exponential(value - max), kSoftmaxSumBits);
  if (sum > std::numeric_limits<std::int32_t>::max()) return unsupported("a sum of exponentials above 4096");
  const int zeros = std::countl_zero(static_cast<std::uint32_t>(sum));
  const auto fraction = static_cast<std::uint32_t>(sum) << zeros;
  const std::int32_t reciprocal = one_over_one_plus(static_cast<std::int32_t>(fraction - (1U << 31)));
  const int shift = kSoftmaxSumBits - zeros + 31 - 8 * static_cast<int>(sizeof(Out));
  if (shift < 0 || shift > 31)
    return fail(ErrorCode::kUnpredictable, "a sum of exponentials of 512 or more, at which the kernel stops");
  constexpr std::int32_t kLow = std::numeric_limits<Out>::min(), kHigh = std::numeric_limits<Out>::max();
  for (std::size_t i = 0; i < in.size(); ++i) {
    const std::int64_t value = rounding_shift(doubling_high_mul(reciprocal, scaling.exponential(in[i] - max)), shift);
    out[i] = static_cast<Out>(std::clamp<std::int64_t>(value + kLow, kLow, kHigh));
  }
  return {};
}

template <class In, class Out>
Result<void> rows(const Call& call, const SoftmaxScaling& scaling, Tensor& out) {
  MACAW_ASSIGN(const Affine to, affine(call.outputs[0]));
  const double unit = std::ldexp(1.0, -8 * static_cast<int>(sizeof(Out)));
  if (to.zero_point != std::numeric_limits<Out>::min() || std::abs(double{to.scale} - unit) > unit / 1000)
    return unsupported(fmt::format("an output of scale {} and zero point {}", to.scale, to.zero_point));
  const auto in = call.inputs[0].value->data<In>();
  const auto depth = static_cast<std::size_t>(out.shape().back());
  for (std::size_t at = 0; at < in.size(); at += depth)
    MACAW_CHECK((row<In, Out>(in.subspan(at, depth), scaling, out.data<Out>().subspan(at, depth))));
  return {};
}

/// To as many bits, or to 16.
template <class In>
Result<void> of_bytes(Call& call, float beta) {
  MACAW_ASSIGN(const Affine from, affine(call.inputs[0]));
  MACAW_ASSIGN(const auto scaling, SoftmaxScaling::create(beta, from.scale));
  Tensor& out = call.output();
  if (out.dtype() == DType::kINT16) return rows<In, std::int16_t>(call, scaling, out);
  MACAW_CHECK(expect(out, call.inputs[0].value->dtype(), "the output"));
  return rows<In, In>(call, scaling, out);
}

/// In single precision.
void float_row(std::span<const float> in, float beta, std::span<float> out) {
  const float max = *std::ranges::max_element(in);
  float sum = 0;
  for (std::size_t i = 0; i < in.size(); ++i) sum += out[i] = std::exp((in[i] - max) * beta);
  for (float& value : out) value /= sum;
}

Result<void> float_rows(Call& call, float beta) {
  MACAW_CHECK(expect(call.output(), DType::kFP32, "the output"));
  const Tensor& in = *call.inputs[0].value;
  const auto depth = static_cast<std::size_t>(in.shape().back());
  for (std::size_t at = 0; at < static_cast<std::size_t>(in.size()); at += depth)
    float_row(in.data<float>().subspan(at, depth), beta, call.output().data<float>().subspan(at, depth));
  return {};
}

Result<void> softmax(Call& call) {
  MACAW_ASSIGN(const auto* option, call.options_as<schema::SoftmaxOptionsT>());
  MACAW_ASSIGN(const Tensor* in, call.input(0));
  MACAW_CHECK(expect(call.output(), in->shape(), "the output"));
  if (in->rank() == 0) return invalid("the input has no axis");
  switch (in->dtype()) {
    case DType::kFP32: return float_rows(call, option->beta);
    case DType::kINT16: return softmax_int16(call, option->beta);
    case DType::kINT8: return of_bytes<std::int8_t>(call, option->beta);
    case DType::kUINT8: return of_bytes<std::uint8_t>(call, option->beta);
    default: return unsupported_type(in->dtype());
  }
}

}  // namespace

extern constexpr Definition kDefinition = {"SOFTMAX", 1, 1, 1, 1, softmax};

}  // namespace macaw::tflite::SOFTMAX
