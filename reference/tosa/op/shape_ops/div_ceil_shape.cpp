#include "reference/tosa/op/shape_ops/shape_op.hpp"

namespace macaw::tosa::DIV_CEIL_SHAPE {
namespace {

constexpr Check kChecks[] = {
    kEqualLengths,
    kDividendNotNegative,
    kDivisorPositive,
};

}  // namespace

extern constexpr Definition kDefinition{
    .op = Op::kDIV_CEIL_SHAPE,
    .arguments = kShapeBinaryArguments,
    .type_variables = kShapeTypes,
    .rows = kShapeRows,
    .checks = kChecks,
    .shape_value = map_extents<[](std::int64_t a, std::int64_t b) { return a / b + (a % b != 0); }>,
};

}  // namespace macaw::tosa::DIV_CEIL_SHAPE
