#include "reference/op/data_layout/move.hpp"
#include "reference/op/data_layout/rows.hpp"

// TRANSPOSE: dimension i of the output is dimension perms[i] of the input.

namespace macaw::tosa {
namespace {

Result<void> transpose(Call& call) {
  const auto strides = strides_of(call.in(0).shape());
  Shape steps;
  for (const auto dimension : call.attrs(Attr::k_perms)) steps.push_back(strides[static_cast<std::size_t>(dimension)]);
  with_element(call.in(0).dtype(), [&]<class T>(std::type_identity<T>) {
    strided_copy(call.in_data<T>(0).data(), 0, steps, call.fill_data<T>(0).data(), call.out(0).shape());
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

constexpr TypeRow kRows[] = {MACAW_DATA_LAYOUT_ROWS(transpose, kInProInt)};

constexpr Check kChecks[] = {
    {Rule::kErrorIf, "output", "input1 and output must have the same rank",
     [](const View& v) { return v.in_rank(0) != v.out_rank(0); }},
    {Rule::kErrorIf, "output", "input1 and output must have the same number of elements",
     [](const View& v) { return *element_count(v.in_shape(0)) != *element_count(v.out_shape(0)); }},
    {Rule::kErrorIf, "perms", "perms must name every dimension of input1 once",
     [](const View& v) { return !permutes(v); }},
    {Rule::kErrorIf, "output", "the shape of output must be that of input1 permuted",
     [](const View& v) { return permuted(v) != v.out_shape(0); }},
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
