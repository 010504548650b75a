#include "reference/tflite/broadcast.hpp"

// tensorflow/tflite-micro @90b983c2b tensorflow/lite/micro/kernels/logical.cc.
namespace macaw::tflite::LOGICAL_OR {
namespace {

Result<void> logical_or(Call& call) {
  MACAW_ASSIGN(const DType dtype, common_type(call));
  if (dtype != DType::kBOOL) return unsupported_type(dtype);
  MACAW_CHECK(expect(call.output(), DType::kBOOL, "the output"));
  return binary<bool, bool>(call, [](bool x, bool y) { return x || y; });
}

}  // namespace

extern constexpr Definition kDefinition = {"LOGICAL_OR", 2, 2, 1, 1, logical_or};

}  // namespace macaw::tflite::LOGICAL_OR
