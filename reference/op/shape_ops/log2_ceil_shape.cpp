#include <bit>

#include "reference/op/shape_ops/shape_op.hpp"

namespace macaw::tosa {
namespace {

constexpr Check kChecks[] = {
    {Rule::kRequire, "input", "every element must be at least 1", element_below<0, 1>, value_of(0)},
};

}  // namespace

extern constexpr Definition kLOG2_CEIL_SHAPE{
    .op = Op::kLOG2_CEIL_SHAPE,
    .arguments = kShapeUnaryArguments,
    .type_variables = kShapeTypes,
    .rows = kShapeRows,
    .checks = kChecks,
    .shape_value = map_extents<[](std::int64_t a) {
      return static_cast<std::int64_t>(std::bit_width(static_cast<std::uint64_t>(a) - 1));
    }>,
};

}  // namespace macaw::tosa
