#include "reference/tflite/unary.hpp"

// tensorflow/tflite-micro @90b983c2b tensorflow/lite/micro/kernels/hard_swish_common.cc,
// tensorflow/lite/kernels/internal/reference/hard_swish.h.
namespace macaw::tflite::HARD_SWISH {
namespace {

std::int16_t saturate16(std::int64_t x) { return clamped<std::int16_t>(x); }

/// High half of 2 * a * b, halves up.
std::int16_t doubling_high_mul16(std::int16_t a, std::int16_t b) {
  if (a == -32768 && b == -32768) return 32767;
  const std::int32_t product = std::int32_t{a} * b;
  return static_cast<std::int16_t>((product + (product >= 0 ? 1 << 14 : 1 - (1 << 14))) / (1 << 15));
}

std::int16_t rounding_shift16(std::int16_t x, int by) { return static_cast<std::int16_t>(rounding_shift(x, by)); }

/// A multiplier of 16 bits, as DownScaleInt32ToInt16Multiplier makes it.
std::int16_t narrowed(std::int32_t multiplier) {
  return multiplier >= 0x7FFF8000 ? std::int16_t{32767} : static_cast<std::int16_t>((multiplier + (1 << 15)) >> 16);
}

struct Scales {
  FixedMultiplier output, reluish;
};

template <class T>
T of_quantized(T x, std::int32_t in_zero, const Scales& s, std::int32_t out_zero) {
  const auto hires = static_cast<std::int16_t>((x - in_zero) * (1 << 7));
  const std::int16_t on_output_scale = doubling_high_mul16(hires, narrowed(s.output.multiplier));
  // 3.0 is 2^15 on this scale; the last bit of a shift to the left saturates.
  std::int16_t reluish = hires;
  if (s.reluish.shift > 0) reluish = saturate16(std::int64_t{reluish} * (std::int64_t{1} << (s.reluish.shift - 1)));
  reluish = doubling_high_mul16(reluish, narrowed(s.reluish.multiplier));
  if (s.reluish.shift > 0) reluish = saturate16(std::int64_t{reluish} * 2);
  if (s.reluish.shift < 0) reluish = rounding_shift16(reluish, -s.reluish.shift);
  reluish = static_cast<std::int16_t>((reluish + (1 << 15)) >> 1);
  const auto product = static_cast<std::int16_t>(std::int32_t{reluish} * on_output_scale / (1 << 15));
  return clamped<T>(std::int64_t{rounding_shift16(product, -s.output.shift)} + out_zero);
}

Result<void> hard_swish(Call& call) {
  MACAW_ASSIGN(const DType dtype, same_type_and_shape(call));
  if (dtype == DType::kFP32)
    return unary<float, float>(call, [](float x) { return x * std::min(6.0F, std::max(0.0F, x + 3)) / 6; });
  MACAW_ASSIGN(const Affine from, affine(call.inputs[0]));
  MACAW_ASSIGN(const Affine to, affine(call.outputs[0]));
  const float hires = (1.0F / 128.0F) * from.scale, reluish = 3.0F / 32768.0F;
  Scales s;
  MACAW_ASSIGN(s.output, fixed_multiplier(double{hires / to.scale}));
  MACAW_ASSIGN(s.reluish, fixed_multiplier(double{hires / reluish}));
  if (s.output.shift > 0) return unsupported("an output whose scale is a 128th of the input's or less");
  const auto run = [&]<class T>(T) {
    return unary<T, T>(call, [&](T x) { return of_quantized<T>(x, from.zero_point, s, to.zero_point); });
  };
  if (dtype == DType::kINT8) return run(std::int8_t{});
  if (dtype == DType::kUINT8) return run(std::uint8_t{});
  return unsupported_type(dtype);
}

}  // namespace

extern constexpr Definition kDefinition = {"HARD_SWISH", 1, 1, 1, 1, hard_swish};

}  // namespace macaw::tflite::HARD_SWISH
