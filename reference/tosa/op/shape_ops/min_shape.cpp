#include <algorithm>

#include "reference/tosa/op/shape_ops/shape_op.hpp"

namespace macaw::tosa::MIN_SHAPE {
namespace {

constexpr Check kChecks[] = {
    kEqualLengths,
};

}  // namespace

extern constexpr Definition kDefinition{
    .op = Op::kMIN_SHAPE,
    .arguments = kShapeBinaryArguments,
    .type_variables = kShapeTypes,
    .rows = kShapeRows,
    .checks = kChecks,
    .shape_value = map_extents<[](std::int64_t a, std::int64_t b) { return std::min(a, b); }>,
};

}  // namespace macaw::tosa::MIN_SHAPE
