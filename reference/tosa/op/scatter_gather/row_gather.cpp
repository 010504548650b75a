#include <algorithm>
#include <array>

#include "reference/tosa/arith/checked.hpp"
#include "reference/tosa/kernels/move/parts.hpp"
#include "reference/tosa/op/declare.hpp"
#include "reference/tosa/op/float_rows.hpp"
#include "reference/tosa/op/scatter_gather/rows.hpp"

// ROW_GATHER: for every index, row_count consecutive rows of the values.

namespace macaw::tosa::ROW_GATHER {
namespace {

constexpr Argument kArguments[] = {
    input("values").type("in_out_t").shape("[N,K,C]").rank(3),
    input("indices").type("index_t").shape("[N,W]").rank(2),
    input("row_count").type("i32_t").shape("[1]").rank(1).always_compile_time_constant(),
    output("output").type("in_out_t").shape("[N,W*row_count,C]").rank(3),
};
using V = ViewOf<kArguments>;

template <class Index>
Result<void> gather_rows(Call& call) {
  const auto& shape = call.in(0).shape();
  const auto count = call.in_data<std::int32_t>(2)[0];
  const auto per_batch = call.out(0).shape()[1] / count;
  for_each_part(call, [&](const auto& part) {
    const auto row = part.in_shape(0)[2], run = row * count;
    const auto* index = call.in_data<Index>(1).data();
    auto* out = part.out();
    for (std::int64_t n = 0; n < shape[0]; ++n)
      for (std::int64_t w = 0; w < per_batch; ++w, ++index, out += run)
        std::copy_n(part.in(0) + (n * shape[1] + *index) * row, run, out);
  });
  return {};
}

/// The profiles of a type, with what DEDUCE-EXT of tosa.xml adds: EXT-INT16, and EXT-INT64 for values or indices.
constexpr Support indexed_support(DType type, DType index) {
  Support support = kProIntOrFp;
  if (const auto deduced = support_of(type); deduced.any[0] != 0) support = deduced;
  if (type == kINT16)
    for (auto& set : support.any) set |= mask(kExtInt16);
  return type == kINT64 || index == kINT64 ? with_int64(support) : support;
}

constexpr auto kRows = [] {
  constexpr std::array kElements = {kBOOL, kINT8, kINT16, kINT32, kINT64, kFP16, kFP32, kFP8E4M3, kFP8E5M2, kBF16};
  std::array<TypeRow, 2 * (kElements.size() + std::size(kBlockScaledTypes))> rows{};
  std::size_t next = 0;
  const auto add = [&](DType type) {
    rows[next++] = row({type, kINT32}).in(indexed_support(type, kINT32)).since(1, 1).by(gather_rows<std::int32_t>);
    rows[next++] = row({type, kINT64}).in(indexed_support(type, kINT64)).since(1, 1).by(gather_rows<std::int64_t>);
  };
  for (const auto type : kElements) add(type);
  for (const auto& type : kBlockScaledTypes) add(type.composite);
  return rows;
}();

Wide output_rows(const V& v) { return Wide{v.dim("W")} * v.integer("row_count"); }

constexpr Check kChecks[] = {
    error_if("row_count", "row_count must be at least 1", [](const V& v) { return v.integer("row_count") < 1; })
        .reads("row_count"),
    kSplitBlock<V, "values">,
    require_that("indices", "an index must be at least 0 and leave row_count rows up to K",
                 [](const V& v) {
                   for (const auto index : v.ints("indices"))
                     if (index < 0 || Wide{index} + v.integer("row_count") > v.dim("K")) return false;
                   return true;
                 })
        .reads("indices", "row_count"),
    error_if("output", "output must have row_count rows for every index",
             [](const V& v) { return output_rows(v) != v.dim("W*row_count"); })
        .reads("row_count"),
};

Result<std::vector<Shape>> shapes(const V& v) {
  if (v.integer("row_count") < 1) return fail(ErrorCode::kInvalidGraph, "row_count must be at least 1");
  if (output_rows(v) > std::numeric_limits<std::int64_t>::max())
    return fail(ErrorCode::kInvalidGraph, "the output has too many rows");
  return std::vector<Shape>{{v.dim("N"), static_cast<std::int64_t>(output_rows(v)), v.dim("C")}};
}

}  // namespace

extern constexpr Definition kDefinition{
    .op = Op::kROW_GATHER,
    .arguments = kArguments,
    .type_variables = kIndexedTypes,
    .rows = kRows,
    .checks = kChecks,
    .shapes = named<shapes>,
    .shapes_need = V::reads("row_count"),
};

}  // namespace macaw::tosa::ROW_GATHER
