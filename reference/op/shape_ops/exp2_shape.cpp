#include "reference/op/shape_ops/shape_op.hpp"

namespace macaw::tosa {
namespace {

constexpr Check kChecks[] = {
    {Rule::kRequire, "input", "every element must be at least 0", element_below<0, 0>, value_of(0)},
    {Rule::kRequire, "input", "every element must be less than the level's MAX_LOG2_SIZE",
     [](const View& v) {
       for (const auto value : v.in_ints(0))
         if (value >= v.level.max_log2_size) return true;
       return false;
     },
     value_of(0)},
};

}  // namespace

extern constexpr Definition kEXP2_SHAPE{
    .op = Op::kEXP2_SHAPE,
    .arguments = kShapeUnaryArguments,
    .type_variables = kShapeTypes,
    .rows = kShapeRows,
    .checks = kChecks,
    .shape_value = map_extents<[](std::int64_t a) { return std::int64_t{1} << a; }>,
};

}  // namespace macaw::tosa
