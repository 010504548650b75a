#include <fmt/format.h>

#include "reference/tflite/op/join.hpp"
#include "reference/tflite/quantization.hpp"

// tensorflow/tflite-micro @90b983c2b tensorflow/lite/micro/kernels/concatenation.cc.
namespace macaw::tflite::CONCATENATION {
namespace {

Result<void> concatenation(Call& call) {
  MACAW_ASSIGN(const auto* options, call.options_as<schema::ConcatenationOptionsT>());
  if (options->fused_activation_function != schema::ActivationFunctionType::NONE)
    return unsupported("a fused activation");
  Tensor& whole = call.output();
  MACAW_ASSIGN(const auto parts, inputs_of_output_type(call));
  MACAW_ASSIGN(const std::size_t axis, normal_axis(options->axis, whole.rank()));
  std::int64_t extent = 0;
  std::vector<std::int64_t> extents;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (is_quantized(whole.dtype())) MACAW_CHECK(expect_same_quantization(call.inputs[i], call.outputs[0]));
    Shape shape = parts[i]->shape();
    if (shape.size() != whole.rank()) return invalid(fmt::format("input {} has {} axes", i, shape.size()));
    extents.push_back(shape[axis]);
    shape[axis] = whole.shape()[axis];
    if (shape != whole.shape() || extents.back() > shape[axis] - extent)
      return invalid(fmt::format("input {} of shape {} does not fit the output", i, to_string(parts[i]->shape())));
    extent += extents.back();
  }
  if (extent != whole.shape()[axis]) return invalid("the inputs do not fill the output");
  if (whole.size() > 0) Layout(whole.shape(), axis, extents, whole.dtype()).join(parts, whole);
  return {};
}

}  // namespace

extern constexpr Definition kDefinition = {"CONCATENATION", 1, -1, 1, 1, concatenation};

}  // namespace macaw::tflite::CONCATENATION
