#include <algorithm>

#include "reference/tflite/op/add_sub.hpp"

// tensorflow/tflite-micro @90b983c2b tensorflow/lite/micro/kernels/squared_difference.cc.
namespace macaw::tflite {

Result<SumScales> squared_difference_scales(float a, float b, float out, int left_shift) {
  const double twice_max = 2 * double{std::max(a, b)};
  SumScales s;
  MACAW_ASSIGN(s.a, fraction_multiplier(double{a} / twice_max));
  MACAW_ASSIGN(s.b, fraction_multiplier(double{b} / twice_max));
  // The divisor is in single precision.
  const float divisor = static_cast<float>(1 << 2 * left_shift) * out;
  MACAW_ASSIGN(s.out, fixed_multiplier(twice_max * twice_max / double{divisor}));
  return s;
}

}  // namespace macaw::tflite

namespace macaw::tflite::SQUARED_DIFFERENCE {
namespace {

template <class T>
Result<void> quantized(Call& call) {
  constexpr int kLeftShift = sizeof(T) == 2 ? 0 : 7;
  MACAW_ASSIGN(const Affine a, affine(call.inputs[0]));
  MACAW_ASSIGN(const Affine b, affine(call.inputs[1]));
  MACAW_ASSIGN(const Affine to, affine(call.outputs[0]));
  if (sizeof(T) == 2 && (a.zero_point != 0 || b.zero_point != 0 || to.zero_point != 0))
    return unsupported("int16 with a zero point");
  MACAW_ASSIGN(const SumScales s, squared_difference_scales(a.scale, b.scale, to.scale, kLeftShift));
  return binary<T, T>(call, [&](T x, T y) {
    const std::int32_t left = scale((x - a.zero_point) * (1 << kLeftShift), s.a);
    const std::int32_t right = scale((y - b.zero_point) * (1 << kLeftShift), s.b);
    const std::int32_t difference = left - right;
    const auto squared = static_cast<std::int32_t>(std::int64_t{difference} * difference);
    return clamped<T>(std::int64_t{scale(squared, s.out)} + to.zero_point);
  });
}

Result<void> squared_difference(Call& call) {
  MACAW_ASSIGN(const DType dtype, common_type(call));
  MACAW_CHECK(expect(call.output(), dtype, "the output"));
  if (dtype == DType::kFP32) return binary<float, float>(call, [](float x, float y) { return (x - y) * (x - y); });
  if (dtype == DType::kINT32)
    return binary<std::int32_t, std::int32_t>(call, [](std::int32_t x, std::int32_t y) {
      const auto difference = static_cast<std::uint32_t>(x) - static_cast<std::uint32_t>(y);
      return static_cast<std::int32_t>(difference * difference);
    });
  return with_quantized(dtype, [&]<class T>(T) { return quantized<T>(call); });
}

}  // namespace

extern constexpr Definition kDefinition = {"SQUARED_DIFFERENCE", 2, 2, 1, 1, squared_difference};

}  // namespace macaw::tflite::SQUARED_DIFFERENCE
