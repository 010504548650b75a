#include "reference/tflite/op/softmax.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include <fmt/format.h>

// tensorflow/tflite-micro @90b983c2b tensorflow/lite/micro/kernels/{softmax_common.cc,log_softmax.cc},
// tensorflow/lite/kernels/internal/reference/{softmax.h,log_softmax.h}; uint8: google-ai-edge/LiteRT
// tflite/kernels/activations.cc.
namespace macaw::tflite {

namespace {

constexpr int kDifferenceBits = 5;  // integer bits of the operand of exp

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

}  // namespace macaw::tflite

namespace macaw::tflite::softmax {
namespace {

void int16_row(std::span<const std::int16_t> in, FixedMultiplier by, std::span<std::int16_t> out) {
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

/// Handles int16 input and output, whose shapes the caller has checked.
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
    int16_row(in.data<std::int16_t>().subspan(at, depth), scaling.multiplier,
              call.output().data<std::int16_t>().subspan(at, depth));
  return {};
}

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

void log_softmax_row(std::span<const float> in, std::span<float> out) {
  const float max = *std::ranges::max_element(in);
  float sum = 0;
  for (const float x : in) sum += std::exp(x - max);
  const float log_sum = std::log(sum);
  std::ranges::transform(in, out.begin(), [&](float x) { return x - max - log_sum; });
}

struct LogSoftmaxScales {
  SoftmaxScaling into;
  FixedMultiplier back;
};

Result<LogSoftmaxScales> log_softmax_scales(const Call& call) {
  MACAW_ASSIGN(const Affine from, affine(call.inputs[0]));
  MACAW_ASSIGN(const Affine to, affine(call.outputs[0]));
  if (to.scale != 16.0F / 256 || to.zero_point != 127)
    return unsupported("an output of another scale than 1/16, or another zero point than 127");
  LogSoftmaxScales s;
  MACAW_ASSIGN(s.into, SoftmaxScaling::create(1, from.scale));
  if (s.into.multiplier.shift < 1) return unsupported("an input of a scale of 2^-26 or less");
  MACAW_ASSIGN(s.back,
               fraction_multiplier(std::ldexp(1.0, 31 - s.into.multiplier.shift) / s.into.multiplier.multiplier));
  return s;
}

Result<void> log_softmax_row(std::span<const std::int8_t> in, const LogSoftmaxScales& s, std::span<std::int8_t> out) {
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
  LogSoftmaxScales s;
  if (dtype == DType::kINT8) {
    MACAW_ASSIGN(s, log_softmax_scales(call));
  }
  for (std::size_t at = 0; at < static_cast<std::size_t>(in.size()); at += depth) {
    if (dtype == DType::kFP32)
      log_softmax_row(in.data<float>().subspan(at, depth), call.output().data<float>().subspan(at, depth));
    else
      MACAW_CHECK(log_softmax_row(in.data<std::int8_t>().subspan(at, depth), s,
                                  call.output().data<std::int8_t>().subspan(at, depth)));
  }
  return {};
}

constexpr Definition kDefinitions[] = {
    {"SOFTMAX", 1, 1, 1, 1, softmax},
    {"LOG_SOFTMAX", 1, 1, 1, 1, log_softmax},
};

}  // namespace

extern constexpr Operators kOperators = kDefinitions;

}  // namespace macaw::tflite::softmax
