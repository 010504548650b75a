#include "reference/fast/move/parts.hpp"
#include "reference/op/data_layout/rows.hpp"
#include "reference/op/float_rows.hpp"

// REVERSE: the elements along one axis in the opposite order.

namespace macaw::tosa {
namespace {

Result<void> reverse(Call& call) {
  const auto axis = static_cast<std::size_t>(call.attr(Attr::k_axis));
  for_each_part(call, [&](const auto& part) {
    const auto shape = part.in_shape(0);
    auto steps = strides_of(shape);
    const auto last = steps[axis] * (shape[axis] - 1);
    steps[axis] = -steps[axis];
    strided_copy(call, part.in(0), last, steps, part.out(), shape);
  });
  return {};
}

constexpr Argument kArguments[] = {
    {Category::kInput, "input1", "in_out_t", "shape", 1},
    {Category::kAttribute, "axis", "i32_t"},
    {Category::kOutput, "output", "in_out_t", "shape", 1},
};

constexpr std::string_view kTypes[] = {"in_out_t"};

constexpr TypeRow kPlain[] = {MACAW_DATA_LAYOUT_ROWS(reverse, kInProInt)};
constexpr auto kRows = with_block_scaled(kPlain, reverse);

constexpr Check kChecks[] = {
    {Rule::kErrorIf, "axis", "axis must be at least 0 and less than the rank",
     [](const View& v) { return v.attr(Attr::k_axis) < 0 || v.attr(Attr::k_axis) >= v.in_rank(0); }},
    split_block_in("input1"),
};

}  // namespace

extern constexpr Definition kREVERSE{
    .op = Op::kREVERSE, .arguments = kArguments, .type_variables = kTypes, .rows = kRows, .checks = kChecks};

}  // namespace macaw::tosa
