#include "reference/fast/move/move.hpp"
#include "reference/op/data_layout/rows.hpp"
#include "reference/op/float_rows.hpp"

// RESHAPE: the same elements in row-major order under another shape.

namespace macaw::tosa {
namespace {

// The scales keep their order too: blocks divide the rows of both shapes.
Result<void> reshape(Call& call) {
  const auto from = call.in(0).bytes();
  copy_all(call, from.data(), from.size(), call.out(0).bytes_to_fill().data());
  return {};
}

constexpr Argument kArguments[] = {
    {Category::kInput, "input1", "in_out_t", "shape1"},
    {Category::kInput, "shape", "shape_t", "[rank(shape)]", 1, 1, false, true},
    {Category::kOutput, "output", "in_out_t", "shape"},
};

constexpr std::string_view kTypes[] = {"in_out_t"};

constexpr TypeRow kPlain[] = {MACAW_DATA_LAYOUT_ROWS(reshape, kInProInt)};
constexpr auto kRows = with_block_scaled(kPlain, reshape);

constexpr Check kChecks[] = {
    {Rule::kErrorIf, "output", "input1 and output must have the same number of elements",
     [](const View& v) { return *element_count(v.in_shape(0)) != *element_count(v.out_shape(0)); }},
    scalar_of_blocks_in("input1"),
    scalar_of_blocks_out("output"),
    split_block_in("input1"),
    split_block_out("output"),
    {Rule::kErrorIf, "shape", "shape must be the shape of output",
     [](const View& v) { return v.in_ints(1) != v.out_shape(0); }, value_of(1)},
};

}  // namespace

extern constexpr Definition kRESHAPE{
    .op = Op::kRESHAPE,
    .arguments = kArguments,
    .type_variables = kTypes,
    .rows = kRows,
    .checks = kChecks,
    .shapes = [](const View& v) -> Result<std::vector<Shape>> { return std::vector<Shape>{v.in_ints(1)}; },
    .shapes_need = value_of(1),
};

}  // namespace macaw::tosa
