#include "reference/fast/move/parts.hpp"
#include "reference/op/data_layout/rows.hpp"
#include "reference/op/float_rows.hpp"

// TILE: the input repeated multiples[i] times along dimension i.

namespace macaw::tosa {
namespace {

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
Shape tiled(const View& v) {
  const auto multiples = v.in_ints(1);
  Shape shape;
  for (std::size_t i = 0; i < multiples.size(); ++i) {
    std::int64_t extent;
    shape.push_back(__builtin_mul_overflow(v.in_shape(0)[i], multiples[i], &extent) ? -1 : extent);
  }
  return shape;
}

constexpr Argument kArguments[] = {
    {Category::kInput, "input1", "in_out_t", "shape1", 1},
    {Category::kInput, "multiples", "shape_t", "[rank(shape1)]", 1, 1, false, true},
    {Category::kOutput, "output", "in_out_t", "shape", 1},
};

constexpr std::string_view kTypes[] = {"in_out_t"};

constexpr TypeRow kPlain[] = {MACAW_DATA_LAYOUT_ROWS(tile, kInProInt)};
constexpr auto kRows = with_block_scaled(kPlain, tile);

constexpr Check kChecks[] = {
    {Rule::kErrorIf, "output", "the shape of output must be that of input1 times multiples",
     [](const View& v) { return tiled(v) != v.out_shape(0); }, value_of(1)},
    split_block_in("input1"),
};

}  // namespace

extern constexpr Definition kTILE{
    .op = Op::kTILE,
    .arguments = kArguments,
    .type_variables = kTypes,
    .rows = kRows,
    .checks = kChecks,
    .shapes = [](const View& v) -> Result<std::vector<Shape>> { return std::vector<Shape>{tiled(v)}; },
    .shapes_need = value_of(1),
};

}  // namespace macaw::tosa
