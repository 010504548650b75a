#include <algorithm>

#include "reference/tflite/copy.hpp"

// tensorflow/tflite-micro @90b983c2b tensorflow/lite/micro/kernels/fill.cc.
namespace macaw::tflite::FILL {
namespace {

Result<void> fill(Call& call) {
  MACAW_ASSIGN(const Tensor* shape, call.input(0));
  MACAW_ASSIGN(const Tensor* value, call.input(1));
  MACAW_ASSIGN(const auto extents, integers(*shape, "the shape"));
  MACAW_CHECK(expect(call.output(), Shape(extents), "the output"));
  MACAW_CHECK(expect(*value, call.output().dtype(), "the value"));
  if (value->size() != 1) return invalid("not exactly one value");
  with_element_size(size_of(value->dtype()),
                    [&]<class T>(T) { std::ranges::fill(call.output().data_to_fill<T>(), value->data<T>()[0]); });
  return {};
}

}  // namespace

extern constexpr Definition kDefinition = {"FILL", 2, 2, 1, 1, fill};

}  // namespace macaw::tflite::FILL
