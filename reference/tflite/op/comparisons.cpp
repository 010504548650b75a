#include <functional>

#include "reference/tflite/elementwise.hpp"
#include "reference/tflite/quantization.hpp"

// tensorflow/tflite-micro @90b983c2b tensorflow/lite/micro/kernels/comparisons.cc,
// tensorflow/lite/kernels/internal/reference/comparisons.h.
namespace macaw::tflite::comparisons {
namespace {

/// Compares 8-bit values, which are rescaled to a common scale first: ComparisonWithScaling.
template <class T, class F>
Result<void> compare_scaled(Call& call, F&& f) {
  constexpr int kLeftShift = 8;
  MACAW_ASSIGN(const Affine a, affine(call.inputs[0]));
  MACAW_ASSIGN(const Affine b, affine(call.inputs[1]));
  MACAW_ASSIGN(const auto by_a, fraction_multiplier(double{a.scale}));
  MACAW_ASSIGN(const auto by_b, fraction_multiplier(double{b.scale}));
  return binary<T, bool>(call, [&](T x, T y) {
    return f(scale((x - a.zero_point) * (1 << kLeftShift), by_a), scale((y - b.zero_point) * (1 << kLeftShift), by_b));
  });
}

/// out = F(a, b) of one type, a bool; kTakesBool: that type may be bool.
template <class F, bool kTakesBool = false>
Result<void> compare(Call& call) {
  const F f;
  MACAW_ASSIGN(const DType dtype, common_type(call));
  MACAW_CHECK(expect(call.output(), DType::kBOOL, "the output"));
  switch (dtype) {
    case DType::kFP32: return binary<float, bool>(call, f);
    case DType::kINT16: return binary<std::int16_t, bool>(call, f);
    case DType::kINT32: return binary<std::int32_t, bool>(call, f);
    case DType::kINT64: return binary<std::int64_t, bool>(call, f);
    case DType::kINT8: return compare_scaled<std::int8_t>(call, f);
    case DType::kUINT8: return compare_scaled<std::uint8_t>(call, f);
    case DType::kBOOL:
      if constexpr (kTakesBool) return binary<bool, bool>(call, f);
      break;
    default: break;
  }
  return unsupported_type(dtype);
}

constexpr Definition kDefinitions[] = {
    {"EQUAL", 2, 2, 1, 1, compare<std::equal_to<>, true>, kElementwise},
    {"NOT_EQUAL", 2, 2, 1, 1, compare<std::not_equal_to<>, true>, kElementwise},
    {"GREATER", 2, 2, 1, 1, compare<std::greater<>>, kElementwise},
    {"GREATER_EQUAL", 2, 2, 1, 1, compare<std::greater_equal<>>, kElementwise},
    {"LESS", 2, 2, 1, 1, compare<std::less<>>, kElementwise},
    {"LESS_EQUAL", 2, 2, 1, 1, compare<std::less_equal<>>, kElementwise},
};

}  // namespace

extern constexpr Operators kOperators = kDefinitions;

}  // namespace macaw::tflite::comparisons
