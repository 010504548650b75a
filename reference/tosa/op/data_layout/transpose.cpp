#include "reference/tosa/kernels/move/parts.hpp"
#include "reference/tosa/op/data_layout/rows.hpp"
#include "reference/tosa/op/declare.hpp"
#include "reference/tosa/op/float_rows.hpp"

// TRANSPOSE: dimension i of the output is dimension perms[i] of the input.

namespace macaw::tosa::TRANSPOSE {
namespace {

constexpr Argument kArguments[] = {
    input("input1").type("in_out_t").shape("shape1").least_rank(1),
    attribute("perms").type("i32_t").shape("[rank(shape1)]"),
    output("output").type("in_out_t").shape("shape").least_rank(1),
};
using V = ViewOf<kArguments>;

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

bool permutes(const V& v) {
  std::vector<bool> used(v.shape("input1").size());
  for (const auto dimension : v.attrs(Attr::k_perms)) {
    if (dimension < 0 || dimension >= v.rank("input1") || used[static_cast<std::size_t>(dimension)]) return false;
    used[static_cast<std::size_t>(dimension)] = true;
  }
  return true;
}

Shape permuted(const V& v) {
  Shape shape;
  for (const auto dimension : v.attrs(Attr::k_perms))
    shape.push_back(v.shape("input1")[static_cast<std::size_t>(dimension)]);
  return shape;
}

constexpr std::string_view kTypes[] = {"in_out_t"};

constexpr TypeRow kPlain[] = {MACAW_DATA_LAYOUT_ROWS(transpose, kProInt)};
constexpr auto kRows = with_block_scaled(kPlain, transpose);

constexpr Check kChecks[] = {
    error_if("output", "input1 and output must have the same rank",
             [](const V& v) { return v.rank("input1") != v.rank("output"); }),
    error_if("output", "input1 and output must have the same number of elements",
             [](const V& v) { return *element_count(v.shape("input1")) != *element_count(v.shape("output")); }),
    error_if("perms", "perms must name every dimension of input1 once", [](const V& v) { return !permutes(v); }),
    error_if("output", "the shape of output must be that of input1 permuted",
             [](const V& v) { return permuted(v) != v.shape("output"); }),
    kSplitBlock<V, "input1">,
    error_if("perms", "the last dimension of a block-scaled tensor must stay the last",
             [](const V& v) {
               return is_block_scale(v.dtype("input1")) && v.attrs(Attr::k_perms).back() != v.rank("input1") - 1;
             }),
};

Result<std::vector<Shape>> shapes(const V& v) {
  if (!permutes(v)) return fail(ErrorCode::kInvalidGraph, "perms must name every dimension of input1 once");
  return std::vector<Shape>{permuted(v)};
}

}  // namespace

extern constexpr Definition kDefinition{
    .op = Op::kTRANSPOSE,
    .arguments = kArguments,
    .type_variables = kTypes,
    .rows = kRows,
    .checks = kChecks,
    .shapes = named<shapes>,
};

}  // namespace macaw::tosa::TRANSPOSE
