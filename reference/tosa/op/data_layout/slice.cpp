#include "reference/tosa/kernels/move/parts.hpp"
#include "reference/tosa/op/data_layout/rows.hpp"
#include "reference/tosa/op/declare.hpp"
#include "reference/tosa/op/float_rows.hpp"

// SLICE: a block of the input, from `start`, as large as `size`.

namespace macaw::tosa::SLICE {
namespace {

constexpr Argument kArguments[] = {
    input("input1").type("in_out_t").shape("shape1").least_rank(1),
    input("start").type("shape_t").shape("[rank(shape1)]").rank(1).compile_time_constant(),
    input("size").type("shape_t").shape("[rank(shape1)]").rank(1).compile_time_constant(),
    output("output").type("in_out_t").shape("shape").least_rank(1),
};
using V = ViewOf<kArguments>;

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

bool leaves_input(const V& v) {
  const auto start = v.ints("start"), size = v.ints("size");
  for (std::size_t i = 0; i < start.size(); ++i)
    if (start[i] > v.shape("input1")[i] || size[i] > v.shape("input1")[i] - start[i]) return true;
  return false;
}

constexpr std::string_view kTypes[] = {"in_out_t"};

constexpr TypeRow kPlain[] = {MACAW_DATA_LAYOUT_ROWS(slice, kProInt)};
constexpr auto kRows = with_block_scaled(kPlain, slice);

constexpr Check kChecks[] = {
    error_if("output", "input1 and output must have the same rank",
             [](const V& v) { return v.rank("input1") != v.rank("output"); }),
    error_if("start", "start must not be negative",
             [](const V& v) {
               for (const auto start : v.ints("start"))
                 if (start < 0) return true;
               return false;
             })
        .reads("start"),
    error_if("size", "size must be at least 1",
             [](const V& v) {
               for (const auto size : v.ints("size"))
                 if (size <= 0) return true;
               return false;
             })
        .reads("size"),
    error_if("size", "start + size must not exceed the extent of input1", named<leaves_input>).reads("start", "size"),
    error_if("size", "size must be the shape of output", [](const V& v) { return v.ints("size") != v.shape("output"); })
        .reads("size"),
    kSplitBlock<V, "input1">,
    kSplitBlock<V, "output">,
    error_if("start", "a slice of a block-scaled tensor must start at a multiple of its block size, 32",
             [](const V& v) {
               return is_block_scale(v.dtype("input1")) && v.ints("start").back() % kInnermostBlockSize != 0;
             })
        .reads("start"),
};

Result<std::vector<Shape>> shapes(const V& v) { return std::vector<Shape>{v.ints("size")}; }

}  // namespace

extern constexpr Definition kDefinition{
    .op = Op::kSLICE,
    .arguments = kArguments,
    .type_variables = kTypes,
    .rows = kRows,
    .checks = kChecks,
    .shapes = named<shapes>,
    .shapes_need = V::reads("size"),
};

}  // namespace macaw::tosa::SLICE
