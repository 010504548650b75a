#include "reference/tosa/op/declare.hpp"
#include "reference/tosa/op/shape_ops/shape_op.hpp"

namespace macaw::tosa::CONCAT_SHAPE {
namespace {

constexpr Argument kArguments[] = {
    input("input").type("shape_t").rank(1).list().always_compile_time_constant(),
    output("output").type("shape_t").rank(1),
};
using V = ViewOf<kArguments>;

std::int64_t joined_length(const V& v) {
  std::int64_t length = 0;
  for (const auto& input : v.inputs) length += input.shape->front();  // at most MAX_TENSOR_LIST_SIZE * MAX_SHAPE_LEN
  return length;
}

constexpr Check kChecks[] = {
    error_if("input", "there must be at least one input", [](const V& v) { return v.inputs.empty(); }),
    error_if("output", "the length of output must be the sum of the inputs' lengths",
             [](const V& v) { return v.shape("output")[0] != joined_length(v); }),
    error_if("input", "no input may be empty",
             [](const V& v) {
               for (const auto& input : v.inputs)
                 if (input.shape->front() == 0) return true;
               return false;
             }),
};

Result<std::vector<Shape>> shapes(const V& v) { return std::vector<Shape>{{joined_length(v)}}; }

std::optional<Extents> join(const V& v) {
  Extents all;
  for (std::size_t i = 0; i < v.inputs.size(); ++i) {
    if (!v.inputs[i].value) return std::nullopt;
    const auto values = v.inputs[i].ints();
    all.insert(all.end(), values.begin(), values.end());
  }
  return all;
}

}  // namespace

extern constexpr Definition kDefinition{
    .op = Op::kCONCAT_SHAPE,
    .arguments = kArguments,
    .type_variables = kShapeTypes,
    .rows = kShapeRows,
    .checks = kChecks,
    .shapes = named<shapes>,
    .shape_value = named<join>,
};

}  // namespace macaw::tosa::CONCAT_SHAPE
