#include "reference/tosa/kernels/move/parts.hpp"
#include "reference/tosa/op/data_layout/rows.hpp"
#include "reference/tosa/op/declare.hpp"
#include "reference/tosa/op/float_rows.hpp"

// REVERSE: the elements along one axis in the opposite order.

namespace macaw::tosa::REVERSE {
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
    input("input1").type("in_out_t").shape("shape").least_rank(1),
    attribute("axis").type("i32_t"),
    output("output").type("in_out_t").shape("shape").least_rank(1),
};
using V = ViewOf<kArguments>;

constexpr std::string_view kTypes[] = {"in_out_t"};

constexpr TypeRow kPlain[] = {MACAW_DATA_LAYOUT_ROWS(reverse, kProInt)};
constexpr auto kRows = with_block_scaled(kPlain, reverse);

constexpr Check kChecks[] = {
    error_if("axis", "axis must be at least 0 and less than the rank",
             [](const V& v) { return v.attr(Attr::k_axis) < 0 || v.attr(Attr::k_axis) >= v.rank("input1"); }),
    kSplitBlock<V, "input1">,
};

}  // namespace

extern constexpr Definition kDefinition{
    .op = Op::kREVERSE, .arguments = kArguments, .type_variables = kTypes, .rows = kRows, .checks = kChecks};

}  // namespace macaw::tosa::REVERSE
