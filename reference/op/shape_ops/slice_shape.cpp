#include "reference/op/shape_ops/shape_op.hpp"

namespace macaw::tosa {
namespace {

constexpr Argument kArguments[] = {
    {Category::kInput, "input", "shape_t", "[n]", 1, 1, false, true, "", true},
    {Category::kInput, "start", "i32_t", "[1]", 1, 1, false, true, "", true},
    {Category::kInput, "size", "i32_t", "[1]", 1, 1, false, true, "", true},
    {Category::kOutput, "output", "shape_t", "", 1, 1},
};

constexpr Check kChecks[] = {
    {Rule::kErrorIf, "size", "size must be at least 1", [](const View& v) { return v.in_int(2) <= 0; }, value_of(2)},
    {Rule::kErrorIf, "start", "start must not be negative", [](const View& v) { return v.in_int(1) < 0; }, value_of(1)},
    {Rule::kErrorIf, "size", "start + size must not exceed the length of input",
     [](const View& v) { return v.in_int(1) + v.in_int(2) > v.in_shape(0)[0]; }, value_of(1) | value_of(2)},
    {Rule::kErrorIf, "output", "the length of output must be size",
     [](const View& v) { return v.out_shape(0)[0] != v.in_int(2); }, value_of(2)},
};

std::optional<Extents> slice(const View& v) {
  for (const auto& input : v.inputs)
    if (!input.value) return std::nullopt;
  const auto values = v.in_ints(0);
  const auto first = values.begin() + v.in_int(1);
  return Extents(first, first + v.in_int(2));
}

}  // namespace

extern constexpr Definition kSLICE_SHAPE{
    .op = Op::kSLICE_SHAPE,
    .arguments = kArguments,
    .type_variables = kShapeTypes,
    .rows = kShapeRows,
    .checks = kChecks,
    .shapes = [](const View& v) -> Result<std::vector<Shape>> { return std::vector<Shape>{{v.in_int(2)}}; },
    .shapes_need = value_of(2),
    .shape_value = slice,
};

}  // namespace macaw::tosa
