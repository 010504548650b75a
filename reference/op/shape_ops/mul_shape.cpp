#include "reference/op/shape_ops/shape_op.hpp"

namespace macaw::tosa {
namespace {

constexpr Check kChecks[] = {
    kEqualLengths,
    {Rule::kRequire, "output", kTensorSizeRule,
     [](const View& v) { return leaves_tensor_size(v, [](Wide a, Wide b) { return a * b; }); }, kBothValues},
};

}  // namespace

extern constexpr Definition kMUL_SHAPE{
    .op = Op::kMUL_SHAPE,
    .arguments = kShapeBinaryArguments,
    .type_variables = kShapeTypes,
    .rows = kShapeRows,
    .checks = kChecks,
    .shape_value = map_extents<[](std::int64_t a, std::int64_t b) { return a * b; }>,
};

}  // namespace macaw::tosa
