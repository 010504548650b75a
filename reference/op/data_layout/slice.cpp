#include "reference/fast/move/parts.hpp"
#include "reference/op/data_layout/rows.hpp"
#include "reference/op/float_rows.hpp"

// SLICE: a block of the input, from `start`, as large as `size`.

namespace macaw::tosa {
namespace {

Result<void> slice(Call& call) {
  const auto start = call.in_data<std::int64_t>(1);
  for_each_part(call, [&](const auto& part) {
    const auto steps = strides_of(part.in_shape(0));
    auto first = start.back() / part.block();
    for (std::size_t i = 0; i + 1 < steps.size(); ++i) first += start[i] * steps[i];
    strided_copy(call, part.in(0), first, steps, part.out(), part.out_shape());
  });
  return {};
}

bool leaves_input(const View& v) {
  const auto start = v.in_ints(1), size = v.in_ints(2);
  for (std::size_t i = 0; i < start.size(); ++i)
    if (start[i] > v.in_shape(0)[i] || size[i] > v.in_shape(0)[i] - start[i]) return true;
  return false;
}

constexpr Argument kArguments[] = {
    {Category::kInput, "input1", "in_out_t", "shape1", 1},
    {Category::kInput, "start", "shape_t", "[rank(shape1)]", 1, 1, false, true},
    {Category::kInput, "size", "shape_t", "[rank(shape1)]", 1, 1, false, true},
    {Category::kOutput, "output", "in_out_t", "shape", 1},
};

constexpr std::string_view kTypes[] = {"in_out_t"};

constexpr TypeRow kPlain[] = {MACAW_DATA_LAYOUT_ROWS(slice, kInProInt)};
constexpr auto kRows = with_block_scaled(kPlain, slice);

constexpr Check kChecks[] = {
    {Rule::kErrorIf, "output", "input1 and output must have the same rank",
     [](const View& v) { return v.in_rank(0) != v.out_rank(0); }},
    {Rule::kErrorIf, "start", "start must not be negative",
     [](const View& v) {
       for (const auto start : v.in_ints(1))
         if (start < 0) return true;
       return false;
     },
     value_of(1)},
    {Rule::kErrorIf, "size", "size must be at least 1",
     [](const View& v) {
       for (const auto size : v.in_ints(2))
         if (size <= 0) return true;
       return false;
     },
     value_of(2)},
    {Rule::kErrorIf, "size", "start + size must not exceed the extent of input1", leaves_input,
     value_of(1) | value_of(2)},
    {Rule::kErrorIf, "size", "size must be the shape of output",
     [](const View& v) { return v.in_ints(2) != v.out_shape(0); }, value_of(2)},
    split_block_in("input1"),
    split_block_out("output"),
    {Rule::kErrorIf, "start", "a slice of a block-scaled tensor must start at a multiple of its block size, 32",
     [](const View& v) { return is_block_scale(v.inputs[0].dtype) && v.in_ints(1).back() % kInnermostBlockSize != 0; },
     value_of(1)},
};

}  // namespace

extern constexpr Definition kSLICE{
    .op = Op::kSLICE,
    .arguments = kArguments,
    .type_variables = kTypes,
    .rows = kRows,
    .checks = kChecks,
    .shapes = [](const View& v) -> Result<std::vector<Shape>> { return std::vector<Shape>{v.in_ints(2)}; },
    .shapes_need = value_of(2),
};

}  // namespace macaw::tosa
