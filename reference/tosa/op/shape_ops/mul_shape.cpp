#include "reference/tosa/op/declare.hpp"
#include "reference/tosa/op/shape_ops/shape_op.hpp"

namespace macaw::tosa::MUL_SHAPE {
namespace {

constexpr Check kChecks[] = {
    kEqualLengths,
    require_that("output", kTensorSizeRule,
                 [](const TwoShapes& v) { return keeps_tensor_size(v, [](Wide a, Wide b) { return a * b; }); })
        .reads("input1", "input2"),
};

}  // namespace

extern constexpr Definition kDefinition{
    .op = Op::kMUL_SHAPE,
    .arguments = kShapeBinaryArguments,
    .type_variables = kShapeTypes,
    .rows = kShapeRows,
    .checks = kChecks,
    .shape_value = map_extents<[](std::int64_t a, std::int64_t b) { return a * b; }>,
};

}  // namespace macaw::tosa::MUL_SHAPE
