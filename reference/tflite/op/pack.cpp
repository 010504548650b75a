#include <fmt/format.h>

#include "reference/tflite/op/join.hpp"

// tensorflow/tflite-micro @90b983c2b tensorflow/lite/micro/kernels/pack.cc.
namespace macaw::tflite::PACK {
namespace {

Result<void> pack(Call& call) {
  MACAW_ASSIGN(const auto* options, call.options_as<schema::PackOptionsT>());
  Tensor& whole = call.output();
  MACAW_ASSIGN(const auto parts, inputs_of_output_type(call));
  MACAW_ASSIGN(const std::size_t axis, normal_axis(options->axis, whole.rank()));
  Shape shape = whole.shape();
  if (shape[axis] != static_cast<std::int64_t>(parts.size()))
    return invalid(fmt::format("{} tensors for extent {}", parts.size(), shape[axis]));
  shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(axis));
  for (const Tensor* part : parts) MACAW_CHECK(expect(*part, shape, "an input"));
  if (whole.size() > 0)
    Layout(whole.shape(), axis, std::vector<std::int64_t>(parts.size(), 1), whole.dtype()).join(parts, whole);
  return {};
}

}  // namespace

extern constexpr Definition kDefinition = {"PACK", 1, -1, 1, 1, pack};

}  // namespace macaw::tflite::PACK
