#include "reference/tflite/unary.hpp"

// tensorflow/tflite-micro @90b983c2b tensorflow/lite/micro/kernels/neg.cc; integers: google-ai-edge/LiteRT @057d0a95d
// tflite/kernels/neg.cc, which negates them as they are, whatever their scales and zero points.
namespace macaw::tflite::NEG {
namespace {

template <class T>
Result<void> negate(Call& call) {
  return unary<T, T>(call, [](T x) { return static_cast<T>(0U - static_cast<std::make_unsigned_t<T>>(x)); });
}

Result<void> neg(Call& call) {
  MACAW_ASSIGN(const DType dtype, same_type_and_shape(call));
  switch (dtype) {
    case DType::kFP32: return unary<float, float>(call, [](float x) { return -x; });
    case DType::kINT8: return negate<std::int8_t>(call);
    case DType::kINT16: return negate<std::int16_t>(call);
    case DType::kINT32: return negate<std::int32_t>(call);
    case DType::kINT64: return negate<std::int64_t>(call);
    default: return unsupported_type(dtype);
  }
}

}  // namespace

extern constexpr Definition kDefinition = {"NEG", 1, 1, 1, 1, neg};

}  // namespace macaw::tflite::NEG
