#include "reference/fast/reduce/axis.hpp"

namespace macaw::tosa {

Result<std::vector<Shape>> reduced_shapes(const View& view) {
  if (axis_out_of_range(view)) return fail(ErrorCode::kInvalidGraph, "axis is not one of the input's");
  Shape shape = view.in_shape(0);
  shape[static_cast<std::size_t>(view.attr(Attr::k_axis))] = 1;
  return std::vector<Shape>{std::move(shape)};
}

bool differs_from_reduced(const View& view) {
  if (axis_out_of_range(view)) return false;  // the rule before says so
  const auto shapes = reduced_shapes(view);
  return shapes->front() != view.out_shape(0);
}

}  // namespace macaw::tosa
