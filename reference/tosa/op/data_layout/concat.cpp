#include <algorithm>

#include "reference/tosa/kernels/move/parts.hpp"
#include "reference/tosa/op/data_layout/rows.hpp"
#include "reference/tosa/op/declare.hpp"
#include "reference/tosa/op/float_rows.hpp"

// CONCAT: the inputs one after another along an axis.

namespace macaw::tosa::CONCAT {
namespace {

constexpr Argument kArguments[] = {
    input("input1").type("in_out_t").shape("shapes1").least_rank(1).list(),
    attribute("axis").type("i32_t"),
    output("output").type("in_out_t").shape("shape").least_rank(1),
};
using V = ViewOf<kArguments>;

Result<void> concat(Call& call) {
  const auto axis = static_cast<std::size_t>(call.attr(Attr::k_axis));
  for_each_part(call, [&](const auto& part) {
    const auto shape = part.out_shape();
    std::int64_t inner = 1, outer = 1;
    for (std::size_t i = 0; i < axis; ++i) outer *= shape[i];
    for (std::size_t i = axis + 1; i < shape.size(); ++i) inner *= shape[i];
    const auto pitch = inner * shape[axis];
    // The run of each input in a row of the output.
    using T = std::remove_cvref_t<decltype(*part.out())>;
    struct Run {
      const T* from;
      std::int64_t size, at;
    };
    std::vector<Run> runs;
    std::int64_t at = 0;
    for (std::size_t t = 0; t < call.inputs.size(); ++t) {
      runs.push_back({part.in(t), inner * part.in_shape(t)[axis], at});
      at += runs.back().size;
    }
    auto* out = part.out();
    const auto elements = static_cast<std::size_t>(pitch);
    if (elements >= kLeastElements) {
      for (std::int64_t row = 0; row < outer; ++row)
        for (const auto& [from, size, first] : runs)
          copy_all(call, from + row * size, static_cast<std::size_t>(size), out + row * pitch + first);
      return;
    }
    split(call, static_cast<std::size_t>(outer), kLeastElements / elements + 1,
          [&](std::size_t first, std::size_t end) {
            for (auto row = static_cast<std::int64_t>(first); row < static_cast<std::int64_t>(end); ++row)
              for (const auto& [from, size, start] : runs)
                std::copy_n(from + row * size, size, out + row * pitch + start);
          });
  });
  return {};
}

bool axis_outside(const V& v) {
  return v.attr(Attr::k_axis) < 0 || v.attr(Attr::k_axis) >= std::max<std::int64_t>(1, v.rank("input1"));
}

/// Shape of the output if the inputs fit each other.
Result<Shape> joined(const V& v) {
  const auto axis = static_cast<std::size_t>(v.attr(Attr::k_axis));
  auto shape = v.shape("input1");
  for (std::size_t t = 1; t < v.inputs.size(); ++t) {
    const auto& next = *v.inputs[t].shape;
    if (next.size() != shape.size()) return fail(ErrorCode::kInvalidGraph, "the inputs must have the same rank");
    for (std::size_t i = 0; i < shape.size(); ++i) {
      if (i != axis && next[i] != shape[i])
        return fail(ErrorCode::kInvalidGraph, "the inputs must have the same extents outside the axis");
      if (i == axis && __builtin_add_overflow(shape[i], next[i], &shape[i]))
        return fail(ErrorCode::kInvalidGraph, "the sum of the inputs' extents overflows");
    }
  }
  return shape;
}

constexpr std::string_view kTypes[] = {"in_out_t"};

constexpr TypeRow kPlain[] = {MACAW_DATA_LAYOUT_ROWS(concat, kExtInt16)};
constexpr auto kRows = with_block_scaled(kPlain, concat);

constexpr Check kChecks[] = {
    error_if("input1", "there must be at least one input", [](const V& v) { return v.inputs.empty(); }),
    error_if("axis", "axis must be at least 0 and less than the rank", named<axis_outside>),
    kSplitBlock<V, "output">,
    error_if("input1", kSplitBlockRule, [](const V& v) { return std::ranges::any_of(v.inputs, splits_block); }),
    error_if("input1", "the inputs must have the same rank and the same extents outside the axis",
             [](const V& v) { return !joined(v); }),
    error_if("output", "the shape of output must be that of the inputs, with their extents along the axis added",
             [](const V& v) { return *joined(v) != v.shape("output"); }),
};

Result<std::vector<Shape>> shapes(const V& v) {
  if (v.inputs.empty() || axis_outside(v)) return fail(ErrorCode::kInvalidGraph, "axis or inputs of CONCAT are wrong");
  MACAW_ASSIGN(auto shape, joined(v));
  return std::vector<Shape>{std::move(shape)};
}

}  // namespace

extern constexpr Definition kDefinition{
    .op = Op::kCONCAT,
    .arguments = kArguments,
    .type_variables = kTypes,
    .rows = kRows,
    .checks = kChecks,
    .shapes = named<shapes>,
};

}  // namespace macaw::tosa::CONCAT
