#include "reference/tosa/op/elementwise/broadcast_rule.hpp"

#include <fmt/format.h>

namespace macaw::tosa {

Result<Shape> broadcast_shape(std::span<const Operand> inputs) {
  Shape shape = *inputs.front().shape;
  for (const auto& input : inputs.subspan(1)) {
    const auto& other = *input.shape;
    const auto mismatch = [&] {
      return fail(ErrorCode::kInvalidGraph,
                  fmt::format("shapes {} and {} do not broadcast", macaw::to_string(shape), macaw::to_string(other)));
    };
    if (other.size() != shape.size()) return mismatch();
    for (std::size_t i = 0; i < shape.size(); ++i) {
      if (shape[i] == 1) shape[i] = other[i];
      else if (other[i] != 1 && other[i] != shape[i]) return mismatch();
    }
  }
  return shape;
}

namespace {

Result<std::vector<Shape>> shapes_of(std::span<const Operand> inputs) {
  MACAW_ASSIGN(auto shape, broadcast_shape(inputs));
  return std::vector<Shape>{std::move(shape)};
}

bool differs(std::span<const Operand> inputs, const Shape& out) {
  const auto shape = broadcast_shape(inputs);
  return !shape || *shape != out;
}

}  // namespace

Result<std::vector<Shape>> broadcast_shapes(const View& view) { return shapes_of(view.inputs); }
Result<std::vector<Shape>> broadcast_pair_shapes(const View& view) { return shapes_of(view.inputs.first(2)); }
bool breaks_broadcast(const View& view) { return differs(view.inputs, *view.outputs[0].shape); }
bool breaks_broadcast_pair(const View& view) { return differs(view.inputs.first(2), *view.outputs[0].shape); }

}  // namespace macaw::tosa
