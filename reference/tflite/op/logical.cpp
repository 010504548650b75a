#include <functional>

#include "reference/tflite/elementwise.hpp"

// tensorflow/tflite-micro @90b983c2b tensorflow/lite/micro/kernels/{logical.cc,elementwise.cc}.
namespace macaw::tflite::logical {
namespace {

template <class F>
Result<void> logical(Call& call) {
  MACAW_ASSIGN(const DType dtype, common_type(call));
  if (dtype != DType::kBOOL) return unsupported_type(dtype);
  MACAW_CHECK(expect(call.output(), DType::kBOOL, "the output"));
  return binary<bool, bool>(call, F());
}

Result<void> logical_not(Call& call) {
  MACAW_ASSIGN(const DType dtype, same_type_and_shape(call));
  if (dtype != DType::kBOOL) return unsupported_type(dtype);
  return unary<bool, bool>(call, [](bool x) { return !x; });
}

constexpr Definition kDefinitions[] = {
    {"LOGICAL_AND", 2, 2, 1, 1, logical<std::logical_and<>>, kElementwise},
    {"LOGICAL_OR", 2, 2, 1, 1, logical<std::logical_or<>>, kElementwise},
    {"LOGICAL_NOT", 1, 1, 1, 1, logical_not, kElementwise},
};

}  // namespace

extern constexpr Operators kOperators = kDefinitions;

}  // namespace macaw::tflite::logical
