#include <algorithm>

#include "reference/tflite/copy.hpp"

// tensorflow/tflite-micro @90b983c2b tensorflow/lite/micro/kernels/{reshape.cc,squeeze.cc,expand_dims.cc,shape.cc}: the
// file states the output's shape.
namespace macaw::tflite::shapes {
namespace {

Result<void> shape(Call& call) {
  MACAW_ASSIGN(const Tensor* in, call.input(0));
  Tensor& out = call.output();
  MACAW_CHECK(expect(out, DType::kINT32, "the output"));
  MACAW_CHECK(expect(out, Shape{static_cast<std::int64_t>(in->rank())}, "the output"));
  std::ranges::transform(in->shape(), out.data<std::int32_t>().begin(),
                         [](std::int64_t extent) { return static_cast<std::int32_t>(extent); });
  return {};
}

constexpr Definition kDefinitions[] = {
    {"RESHAPE", 1, 2, 1, 1, copy_elements},
    {"SQUEEZE", 1, 1, 1, 1, copy_elements},
    {"EXPAND_DIMS", 2, 2, 1, 1, copy_elements},
    {"SHAPE", 1, 1, 1, 1, shape},
};

}  // namespace

extern constexpr Operators kOperators = kDefinitions;

}  // namespace macaw::tflite::shapes
