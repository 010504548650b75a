#include "reference/op/data_layout/move.hpp"
#include "reference/op/data_layout/rows.hpp"

// REVERSE: the elements along one axis in the opposite order.

namespace macaw::tosa {
namespace {

Result<void> reverse(Call& call) {
  const auto& shape = call.in(0).shape();
  const auto axis = static_cast<std::size_t>(call.attr(Attr::k_axis));
  auto steps = strides_of(shape);
  const auto last = steps[axis] * (shape[axis] - 1);
  steps[axis] = -steps[axis];
  with_element(call.in(0).dtype(), [&]<class T>(std::type_identity<T>) {
    strided_copy(call.in_data<T>(0).data(), last, steps, call.fill_data<T>(0).data(), shape);
  });
  return {};
}

constexpr Argument kArguments[] = {
    {Category::kInput, "input1", "in_out_t", "shape", 1},
    {Category::kAttribute, "axis", "i32_t"},
    {Category::kOutput, "output", "in_out_t", "shape", 1},
};

constexpr std::string_view kTypes[] = {"in_out_t"};

constexpr TypeRow kRows[] = {MACAW_DATA_LAYOUT_ROWS(reverse, kInProInt)};

constexpr Check kChecks[] = {
    {Rule::kErrorIf, "axis", "axis must be at least 0 and less than the rank",
     [](const View& v) { return v.attr(Attr::k_axis) < 0 || v.attr(Attr::k_axis) >= v.in_rank(0); }},
};

}  // namespace

extern constexpr Definition kREVERSE{
    .op = Op::kREVERSE, .arguments = kArguments, .type_variables = kTypes, .rows = kRows, .checks = kChecks};

}  // namespace macaw::tosa
