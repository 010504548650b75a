#include "reference/tosa/op/declare.hpp"
#include "reference/tosa/op/shape_ops/shape_op.hpp"

namespace macaw::tosa::EXP2_SHAPE {
namespace {

constexpr Check kChecks[] = {
    require_that("input", "every element must be at least 0",
                 [](const OneShape& v) { return all_at_least(0, v.ints("input")); })
        .reads("input"),
    require_that("input", "every element must be less than the level's MAX_LOG2_SIZE",
                 [](const OneShape& v) {
                   return std::ranges::all_of(v.ints("input"),
                                              [&](auto value) { return value < v.level.max_log2_size; });
                 })
        .reads("input"),
};

}  // namespace

extern constexpr Definition kDefinition{
    .op = Op::kEXP2_SHAPE,
    .arguments = kShapeUnaryArguments,
    .type_variables = kShapeTypes,
    .rows = kShapeRows,
    .checks = kChecks,
    .shape_value = map_extents<[](std::int64_t a) { return std::int64_t{1} << a; }>,
};

}  // namespace macaw::tosa::EXP2_SHAPE
