#include "reference/tosa/op/reduction/arguments.hpp"

namespace macaw::tosa {

bool axis_out_of_range(const View& view) {
  const auto axis = view.attr(Attr::k_axis);
  return axis < 0 || axis >= static_cast<std::int64_t>(view.inputs[0].shape->size());
}

Result<std::vector<Shape>> reduced_shapes(const View& view) {
  if (axis_out_of_range(view)) return fail(ErrorCode::kInvalidGraph, "axis is not one of the input's");
  Shape shape = *view.inputs[0].shape;
  shape[static_cast<std::size_t>(view.attr(Attr::k_axis))] = 1;
  return std::vector<Shape>{std::move(shape)};
}

}  // namespace macaw::tosa
