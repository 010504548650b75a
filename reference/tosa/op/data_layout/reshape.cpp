#include "reference/tosa/kernels/move/move.hpp"
#include "reference/tosa/op/data_layout/rows.hpp"
#include "reference/tosa/op/declare.hpp"
#include "reference/tosa/op/float_rows.hpp"

// RESHAPE: the same elements in row-major order under another shape.

namespace macaw::tosa::RESHAPE {
namespace {

// The scales keep their order too: blocks divide the rows of both shapes.
Result<void> reshape(Call& call) {
  const auto from = call.in(0).bytes();
  copy_all(call, from.data(), from.size(), call.out(0).uninitialized_bytes().data());
  return {};
}

constexpr Argument kArguments[] = {
    input("input1").type("in_out_t").shape("shape1"),
    input("shape").type("shape_t").shape("[rank(shape)]").rank(1).compile_time_constant(),
    output("output").type("in_out_t").shape("shape"),
};
using V = ViewOf<kArguments>;

constexpr std::string_view kTypes[] = {"in_out_t"};

constexpr TypeRow kPlain[] = {MACAW_DATA_LAYOUT_ROWS(reshape, kProInt)};
constexpr auto kRows = with_block_scaled(kPlain, reshape);

constexpr Check kChecks[] = {
    error_if("output", "input1 and output must have the same number of elements",
             [](const V& v) { return *element_count(v.shape("input1")) != *element_count(v.shape("output")); }),
    kScalarOfBlocks<V, "input1">,
    kScalarOfBlocks<V, "output">,
    kSplitBlock<V, "input1">,
    kSplitBlock<V, "output">,
    error_if("shape", "shape must be the shape of output",
             [](const V& v) { return v.ints("shape") != v.shape("output"); })
        .reads("shape"),
};

Result<std::vector<Shape>> shapes(const V& v) { return std::vector<Shape>{v.ints("shape")}; }

}  // namespace

extern constexpr Definition kDefinition{
    .op = Op::kRESHAPE,
    .arguments = kArguments,
    .type_variables = kTypes,
    .rows = kRows,
    .checks = kChecks,
    .shapes = named<shapes>,
    .shapes_need = V::reads("shape"),
};

}  // namespace macaw::tosa::RESHAPE
