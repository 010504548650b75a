#include "reference/fast/move/parts.hpp"
#include "reference/op/data_layout/rows.hpp"
#include "reference/op/float_rows.hpp"

// TRANSPOSE: dimension i of the output is dimension perms[i] of the input.

namespace macaw::tosa {
namespace {

Result<void> transpose(Call& call) {
  for_each_part(call, [&](const auto& part) {
    const auto strides = strides_of(part.in_shape(0));
    Shape steps;
    for (const auto dimension : call.attrs(Attr::k_perms))
      steps.push_back(strides[static_cast<std::size_t>(dimension)]);
    strided_copy(call, part.in(0), 0, steps, part.out(), part.out_shape());
  });
  return {};
}

bool permutes(const View& v) {
  std::vector<bool> used(v.in_shape(0).size());
  for (const auto dimension : v.attrs(Attr::k_perms)) {
    if (dimension < 0 || dimension >= v.in_rank(0) || used[static_cast<std::size_t>(dimension)]) return false;
    used[static_cast<std::size_t>(dimension)] = true;
  }
  return true;
}

Shape permuted(const View& v) {
  Shape shape;
  for (const auto dimension : v.attrs(Attr::k_perms))
    shape.push_back(v.in_shape(0)[static_cast<std::size_t>(dimension)]);
  return shape;
}

constexpr Argument kArguments[] = {
    {Category::kInput, "input1", "in_out_t", "shape1", 1},
    {Category::kAttribute, "perms", "i32_t", "[rank(shape1)]"},
    {Category::kOutput, "output", "in_out_t", "shape", 1},
};

constexpr std::string_view kTypes[] = {"in_out_t"};

constexpr TypeRow kPlain[] = {MACAW_DATA_LAYOUT_ROWS(transpose, kInProInt)};
constexpr auto kRows = with_block_scaled(kPlain, transpose);

constexpr Check kChecks[] = {
    {Rule::kErrorIf, "output", "input1 and output must have the same rank",
     [](const View& v) { return v.in_rank(0) != v.out_rank(0); }},
    {Rule::kErrorIf, "output", "input1 and output must have the same number of elements",
     [](const View& v) { return *element_count(v.in_shape(0)) != *element_count(v.out_shape(0)); }},
    {Rule::kErrorIf, "perms", "perms must name every dimension of input1 once",
     [](const View& v) { return !permutes(v); }},
    {Rule::kErrorIf, "output", "the shape of output must be that of input1 permuted",
     [](const View& v) { return permuted(v) != v.out_shape(0); }},
    split_block_in("input1"),
    {Rule::kErrorIf, "perms", "the last dimension of a block-scaled tensor must stay the last",
     [](const View& v) {
       return is_block_scale(v.inputs[0].dtype) && v.attrs(Attr::k_perms).back() != v.in_rank(0) - 1;
     }},
};

}  // namespace

extern constexpr Definition kTRANSPOSE{
    .op = Op::kTRANSPOSE,
    .arguments = kArguments,
    .type_variables = kTypes,
    .rows = kRows,
    .checks = kChecks,
    .shapes = [](const View& v) -> Result<std::vector<Shape>> {
      if (!permutes(v)) return fail(ErrorCode::kInvalidGraph, "perms must name every dimension of input1 once");
      return std::vector<Shape>{permuted(v)};
    },
};

}  // namespace macaw::tosa
