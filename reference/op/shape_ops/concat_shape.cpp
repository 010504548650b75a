#include "reference/op/shape_ops/shape_op.hpp"

namespace macaw::tosa {
namespace {

constexpr Argument kArguments[] = {
    {Category::kInput, "input", "shape_t", "", 1, 1, true, true, "", true},
    {Category::kOutput, "output", "shape_t", "", 1, 1},
};

std::int64_t joined_length(const View& v) {
  std::int64_t length = 0;
  for (const auto& input : v.inputs) length += input.shape->front();  // at most MAX_TENSOR_LIST_SIZE * MAX_SHAPE_LEN
  return length;
}

constexpr Check kChecks[] = {
    {Rule::kErrorIf, "input", "there must be at least one input", [](const View& v) { return v.inputs.empty(); }},
    {Rule::kErrorIf, "output", "the length of output must be the sum of the inputs' lengths",
     [](const View& v) { return v.out_shape(0)[0] != joined_length(v); }},
    {Rule::kErrorIf, "input", "no input may be empty",
     [](const View& v) {
       for (const auto& input : v.inputs)
         if (input.shape->front() == 0) return true;
       return false;
     }},
};

std::optional<Extents> join(const View& v) {
  Extents all;
  for (std::size_t i = 0; i < v.inputs.size(); ++i) {
    if (!v.inputs[i].value) return std::nullopt;
    const auto values = v.in_ints(i);
    all.insert(all.end(), values.begin(), values.end());
  }
  return all;
}

}  // namespace

extern constexpr Definition kCONCAT_SHAPE{
    .op = Op::kCONCAT_SHAPE,
    .arguments = kArguments,
    .type_variables = kShapeTypes,
    .rows = kShapeRows,
    .checks = kChecks,
    .shapes = [](const View& v) -> Result<std::vector<Shape>> { return std::vector<Shape>{{joined_length(v)}}; },
    .shape_value = join,
};

}  // namespace macaw::tosa
