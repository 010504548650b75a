#include <bit>

#include "reference/tosa/op/declare.hpp"
#include "reference/tosa/op/shape_ops/shape_op.hpp"

namespace macaw::tosa::LOG2_CEIL_SHAPE {
namespace {

constexpr Check kChecks[] = {
    require_that("input", "every element must be at least 1",
                 [](const OneShape& v) { return all_at_least(1, v.ints("input")); })
        .reads("input"),
};

}  // namespace

extern constexpr Definition kDefinition{
    .op = Op::kLOG2_CEIL_SHAPE,
    .arguments = kShapeUnaryArguments,
    .type_variables = kShapeTypes,
    .rows = kShapeRows,
    .checks = kChecks,
    .shape_value = map_extents<[](std::int64_t a) {
      return static_cast<std::int64_t>(std::bit_width(static_cast<std::uint64_t>(a) - 1));
    }>,
};

}  // namespace macaw::tosa::LOG2_CEIL_SHAPE
