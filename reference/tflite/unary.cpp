#include "reference/tflite/unary.hpp"

namespace macaw::tflite {

Result<const Tensor*> same_shape(const Call& call) {
  MACAW_ASSIGN(const Tensor* in, call.input(0));
  MACAW_CHECK(expect(call.output(), in->shape(), "the output"));
  return in;
}

Result<DType> same_type_and_shape(const Call& call) {
  MACAW_ASSIGN(const Tensor* in, same_shape(call));
  MACAW_CHECK(expect(call.output(), in->dtype(), "the output"));
  return in->dtype();
}

}  // namespace macaw::tflite
