#include "reference/tosa/op/shape_ops/shape_op.hpp"

namespace macaw::tosa::DIV_FLOOR_SHAPE {
namespace {

constexpr Check kChecks[] = {
    kEqualLengths,
    kDividendNotNegative,
    kDivisorPositive,
};

}  // namespace

extern constexpr Definition kDefinition{
    .op = Op::kDIV_FLOOR_SHAPE,
    .arguments = kShapeBinaryArguments,
    .type_variables = kShapeTypes,
    .rows = kShapeRows,
    .checks = kChecks,
    .shape_value = map_extents<[](std::int64_t a, std::int64_t b) { return a / b; }>,
};

}  // namespace macaw::tosa::DIV_FLOOR_SHAPE
