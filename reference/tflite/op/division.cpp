#include <algorithm>
#include <bit>
#include <cmath>

#include "reference/tflite/elementwise.hpp"
#include "reference/tflite/quantization.hpp"

// tensorflow/tflite-micro @90b983c2b tensorflow/lite/micro/kernels/{div.cc,floor_div.cc},
// tensorflow/lite/kernels/internal/reference/div.h; int16: google-ai-edge/LiteRT @057d0a95d tflite/kernels/div.cc.
namespace macaw::tflite::division {
namespace {

/// Quotient of integers by a reciprocal of 31 bits; the divisor is not 0.
std::int32_t quotient(std::int32_t a, std::int32_t b, FixedMultiplier ratio) {
  if (b < 0) {
    a = -a;
    b = -b;
  }
  const int zeros = std::countl_zero(static_cast<std::uint32_t>(b));
  const auto fraction = static_cast<std::uint32_t>(b) << zeros;
  const std::int32_t inverse = one_over_one_plus(static_cast<std::int32_t>(fraction - (1U << 31)));
  // Bits that repeat the sign.
  const int headroom = std::countl_zero(static_cast<std::uint32_t>(a < 0 ? ~a : a)) - 1;
  const std::int32_t unscaled = doubling_high_mul(static_cast<std::int32_t>(std::int64_t{a} << headroom), inverse);
  const std::int32_t scaled = doubling_high_mul(unscaled, ratio.multiplier);
  const int right = headroom + (31 - zeros) - ratio.shift;
  if (right < 32) return rounding_shift(scaled, std::max(right, 0));
  // The value is 0 with its 31 bits of headroom, or a small quotient. RoundingDivideByPOT (google/gemmlowp
  // fixedpoint/fixedpoint.h) cuts its mask to 32 bits, all ones, so that values that are not negative, 0 included, are
  // rounded up; the shift itself leaves the sign, as on Arm: C++ does not define it.
  return scaled < 0 ? -1 : 1;
}

template <class T>
Result<void> quantized(Call& call, schema::ActivationFunctionType activation) {
  MACAW_ASSIGN(const Affine a, affine(call.inputs[0]));
  MACAW_ASSIGN(const Affine b, affine(call.inputs[1]));
  MACAW_ASSIGN(const Affine to, affine(call.outputs[0]));
  // In single precision.
  MACAW_ASSIGN(const auto ratio, fixed_multiplier(double{a.scale / (b.scale * to.scale)}));
  MACAW_ASSIGN(const Range range, activation_range(activation, call.output().dtype(), to));
  bool by_zero = false;
  MACAW_CHECK((binary<T, T>(call, [&](T x, T y) {
    const std::int32_t divisor = y - b.zero_point;
    by_zero |= divisor == 0;
    const std::int32_t result = divisor == 0 ? 0 : quotient(x - a.zero_point, divisor, ratio);
    return static_cast<T>(std::clamp<std::int64_t>(std::int64_t{result} + to.zero_point, range.min, range.max));
  })));
  return by_zero ? invalid("a division by zero") : Result<void>();
}

/// In single precision where nothing is broadcast.
Result<void> int16(Call& call, schema::ActivationFunctionType activation) {
  if (call.inputs[0].value->shape() != call.inputs[1].value->shape()) return quantized<std::int16_t>(call, activation);
  MACAW_ASSIGN(const Affine a, affine(call.inputs[0]));
  MACAW_ASSIGN(const Affine b, affine(call.inputs[1]));
  MACAW_ASSIGN(const Affine to, affine(call.outputs[0]));
  MACAW_ASSIGN(const Range range, activation_range(activation, call.output().dtype(), to));
  bool by_zero = false;
  MACAW_CHECK((binary<std::int16_t, std::int16_t>(call, [&](std::int16_t x, std::int16_t y) {
    const float divisor = static_cast<float>(y - b.zero_point) * b.scale;
    by_zero |= divisor == 0;
    if (divisor == 0) return std::int16_t{0};
    const float quotient = std::round(static_cast<float>(x - a.zero_point) * a.scale / divisor / to.scale);
    const auto low = static_cast<float>(range.min - to.zero_point),
               high = static_cast<float>(range.max - to.zero_point);
    return static_cast<std::int16_t>(static_cast<std::int32_t>(std::clamp(quotient, low, high)) + to.zero_point);
  })));
  return by_zero ? invalid("a division by zero") : Result<void>();
}

Result<void> int32(Call& call, schema::ActivationFunctionType activation) {
  if (activation != schema::ActivationFunctionType::NONE) return unsupported("int32 with a fused activation");
  bool by_zero = false;
  MACAW_CHECK((binary<std::int32_t, std::int32_t>(call, [&](std::int32_t x, std::int32_t y) {
    by_zero |= y == 0;
    return y == 0 ? 0 : static_cast<std::int32_t>(std::int64_t{x} / y);
  })));
  return by_zero ? invalid("a division by zero") : Result<void>();
}

Result<void> div(Call& call) {
  const auto activation = call.options_or_default<schema::DivOptionsT>().fused_activation_function;
  MACAW_ASSIGN(const DType dtype, common_type(call));
  MACAW_CHECK(expect(call.output(), dtype, "the output"));
  switch (dtype) {
    case DType::kFP32: {
      MACAW_ASSIGN(const FloatRange range, activation_range(activation));
      return binary<float, float>(call,
                                  [&](float x, float y) { return std::min(std::max(x / y, range.min), range.max); });
    }
    case DType::kINT32: return int32(call, activation);
    case DType::kINT8: return quantized<std::int8_t>(call, activation);
    case DType::kUINT8: return quantized<std::uint8_t>(call, activation);
    case DType::kINT16: return int16(call, activation);
    default: return unsupported_type(dtype);
  }
}

Result<void> floor_div(Call& call) {
  MACAW_ASSIGN(const DType dtype, common_type(call));
  MACAW_CHECK(expect(call.output(), dtype, "the output"));
  if (dtype == DType::kFP32) return binary<float, float>(call, [](float x, float y) { return std::floor(x / y); });
  return with_integer(dtype, [&]<class T>(T) -> Result<void> {
    bool by_zero = false;
    MACAW_CHECK((binary<T, T>(call, [&](T x, T y) {
      by_zero |= y == 0;
      const std::int64_t a = x, b = y == 0 ? 1 : std::int64_t{y};
      return static_cast<T>(a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0));
    })));
    return by_zero ? invalid("a division by zero") : Result<void>();
  });
}

constexpr Definition kDefinitions[] = {
    {"DIV", 2, 2, 1, 1, div, kElementwise},
    {"FLOOR_DIV", 2, 2, 1, 1, floor_div, kElementwise},
};

}  // namespace

extern constexpr Operators kOperators = kDefinitions;

}  // namespace macaw::tflite::division
