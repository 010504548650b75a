#include <cmath>

#include "reference/tflite/broadcast.hpp"
#include "reference/tflite/quantization.hpp"

// tensorflow/tflite-micro @90b983c2b tensorflow/lite/micro/kernels/floor_div.cc.
namespace macaw::tflite::FLOOR_DIV {
namespace {

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

}  // namespace

extern constexpr Definition kDefinition = {"FLOOR_DIV", 2, 2, 1, 1, floor_div};

}  // namespace macaw::tflite::FLOOR_DIV
