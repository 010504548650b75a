#include <algorithm>

#include "reference/tosa/op/shape_ops/shape_op.hpp"

namespace macaw::tosa::MAX_SHAPE {
namespace {

constexpr Check kChecks[] = {
    kEqualLengths,
};

}  // namespace

extern constexpr Definition kDefinition{
    .op = Op::kMAX_SHAPE,
    .arguments = kShapeBinaryArguments,
    .type_variables = kShapeTypes,
    .rows = kShapeRows,
    .checks = kChecks,
    .shape_value = map_extents<[](std::int64_t a, std::int64_t b) { return std::max(a, b); }>,
};

}  // namespace macaw::tosa::MAX_SHAPE
