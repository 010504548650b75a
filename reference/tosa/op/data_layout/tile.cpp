#include "reference/tosa/kernels/move/parts.hpp"
#include "reference/tosa/op/data_layout/rows.hpp"
#include "reference/tosa/op/declare.hpp"
#include "reference/tosa/op/float_rows.hpp"

// TILE: the input repeated multiples[i] times along dimension i.

namespace macaw::tosa::TILE {
namespace {

constexpr Argument kArguments[] = {
    input("input1").type("in_out_t").shape("shape1").least_rank(1),
    input("multiples").type("shape_t").shape("[rank(shape1)]").rank(1).compile_time_constant(),
    output("output").type("in_out_t").shape("shape").least_rank(1),
};
using V = ViewOf<kArguments>;

Result<void> tile(Call& call) {
  const auto multiples = call.in_data<std::int64_t>(1);
  for_each_part(call, [&](const auto& part) {
    // Every dimension of the output is two of the copy: which repetition (step 0), and where in it.
    const auto shape = part.in_shape(0), strides = strides_of(shape);
    Shape extents, steps;
    for (std::size_t i = 0; i < shape.size(); ++i) {
      extents.insert(extents.end(), {multiples[i], shape[i]});
      steps.insert(steps.end(), {0, strides[i]});
    }
    strided_copy(call, part.in(0), 0, steps, part.out(), extents);
  });
  return {};
}

/// Extents of the output; an extent that overflows is -1, which no shape has.
Shape tiled(const V& v) {
  const auto multiples = v.ints("multiples");
  Shape shape;
  for (std::size_t i = 0; i < multiples.size(); ++i) {
    std::int64_t extent;
    shape.push_back(__builtin_mul_overflow(v.shape("input1")[i], multiples[i], &extent) ? -1 : extent);
  }
  return shape;
}

constexpr std::string_view kTypes[] = {"in_out_t"};

constexpr TypeRow kPlain[] = {MACAW_DATA_LAYOUT_ROWS(tile, kProInt)};
constexpr auto kRows = with_block_scaled(kPlain, tile);

constexpr Check kChecks[] = {
    error_if("output", "the shape of output must be that of input1 times multiples",
             [](const V& v) { return tiled(v) != v.shape("output"); })
        .reads("multiples"),
    kSplitBlock<V, "input1">,
};

Result<std::vector<Shape>> shapes(const V& v) { return std::vector<Shape>{tiled(v)}; }

}  // namespace

extern constexpr Definition kDefinition{
    .op = Op::kTILE,
    .arguments = kArguments,
    .type_variables = kTypes,
    .rows = kRows,
    .checks = kChecks,
    .shapes = named<shapes>,
    .shapes_need = V::reads("multiples"),
};

}  // namespace macaw::tosa::TILE
