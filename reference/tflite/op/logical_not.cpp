#include "reference/tflite/unary.hpp"

// tensorflow/tflite-micro @90b983c2b tensorflow/lite/micro/kernels/elementwise.cc.
namespace macaw::tflite::LOGICAL_NOT {
namespace {

Result<void> logical_not(Call& call) {
  MACAW_ASSIGN(const DType dtype, same_type_and_shape(call));
  if (dtype != DType::kBOOL) return unsupported_type(dtype);
  return unary<bool, bool>(call, [](bool x) { return !x; });
}

}  // namespace

extern constexpr Definition kDefinition = {"LOGICAL_NOT", 1, 1, 1, 1, logical_not};

}  // namespace macaw::tflite::LOGICAL_NOT
