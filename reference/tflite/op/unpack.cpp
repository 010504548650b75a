#include <fmt/format.h>

#include "reference/tflite/op/join.hpp"

// tensorflow/tflite-micro @90b983c2b tensorflow/lite/micro/kernels/unpack.cc.
namespace macaw::tflite::UNPACK {
namespace {

Result<void> unpack(Call& call) {
  MACAW_ASSIGN(const auto* options, call.options_as<schema::UnpackOptionsT>());
  MACAW_ASSIGN(const Tensor* whole, call.input(0));
  MACAW_ASSIGN(const std::size_t axis, normal_axis(options->axis, whole->rank()));
  Shape shape = whole->shape();
  if (shape[axis] != static_cast<std::int64_t>(call.outputs.size()))
    return invalid(fmt::format("{} tensors of extent {}", call.outputs.size(), shape[axis]));
  shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(axis));
  std::vector<Tensor*> parts;
  for (const auto& output : call.outputs) {
    MACAW_CHECK(expect(*output.value, whole->dtype(), "an output"));
    MACAW_CHECK(expect(*output.value, shape, "an output"));
    parts.push_back(output.writable);
  }
  if (whole->size() > 0)
    Layout(whole->shape(), axis, std::vector<std::int64_t>(parts.size(), 1), whole->dtype()).split(*whole, parts);
  return {};
}

}  // namespace

extern constexpr Definition kDefinition = {"UNPACK", 1, 1, 1, -1, unpack};

}  // namespace macaw::tflite::UNPACK
