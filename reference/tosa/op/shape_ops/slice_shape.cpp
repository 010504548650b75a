#include "reference/tosa/op/declare.hpp"
#include "reference/tosa/op/shape_ops/shape_op.hpp"

namespace macaw::tosa::SLICE_SHAPE {
namespace {

constexpr Argument kArguments[] = {
    input("input").type("shape_t").shape("[n]").rank(1).always_compile_time_constant(),
    input("start").type("i32_t").shape("[1]").rank(1).always_compile_time_constant(),
    input("size").type("i32_t").shape("[1]").rank(1).always_compile_time_constant(),
    output("output").type("shape_t").rank(1),
};
using V = ViewOf<kArguments>;

constexpr Check kChecks[] = {
    error_if("size", "size must be at least 1", [](const V& v) { return v.integer("size") <= 0; }).reads("size"),
    error_if("start", "start must not be negative", [](const V& v) { return v.integer("start") < 0; }).reads("start"),
    error_if("size", "start + size must not exceed the length of input",
             [](const V& v) { return v.integer("start") + v.integer("size") > v.dim("n"); })
        .reads("start", "size"),
    error_if("output", "the length of output must be size",
             [](const V& v) { return v.shape("output")[0] != v.integer("size"); })
        .reads("size"),
};

Result<std::vector<Shape>> shapes(const V& v) { return std::vector<Shape>{{v.integer("size")}}; }

std::optional<Extents> slice(const V& v) {
  for (const auto& input : v.inputs)
    if (!input.value) return std::nullopt;
  const auto values = v.ints("input");
  const auto first = values.begin() + v.integer("start");
  return Extents(first, first + v.integer("size"));
}

}  // namespace

extern constexpr Definition kDefinition{
    .op = Op::kSLICE_SHAPE,
    .arguments = kArguments,
    .type_variables = kShapeTypes,
    .rows = kShapeRows,
    .checks = kChecks,
    .shapes = named<shapes>,
    .shapes_need = V::reads("size"),
    .shape_value = named<slice>,
};

}  // namespace macaw::tosa::SLICE_SHAPE
