#include "reference/tflite/op/reduction.hpp"

// tensorflow/tflite-micro @90b983c2b tensorflow/lite/micro/kernels/reduce_common.cc.
namespace macaw::tflite::REDUCE_ALL {
namespace {

Result<void> reduce_all(Call& call) {
  MACAW_ASSIGN(const Reduction reduction, Reduction::create(call));
  MACAW_CHECK(expect(*call.inputs[0].value, DType::kBOOL, "the input"));
  MACAW_CHECK(expect(call.output(), DType::kBOOL, "the output"));
  return fold<bool>(call, reduction, true, [](bool x, bool y) { return x && y; });
}

}  // namespace

extern constexpr Definition kDefinition = {"REDUCE_ALL", 2, 2, 1, 1, reduce_all};

}  // namespace macaw::tflite::REDUCE_ALL
