#include <algorithm>
#include <array>

#include "reference/arith/checked.hpp"
#include "reference/fast/move/parts.hpp"
#include "reference/op/float_rows.hpp"
#include "reference/op/scatter_gather/rows.hpp"

// ROW_GATHER: for every index, row_count consecutive rows of the values.

namespace macaw::tosa {
namespace {

constexpr Argument kArguments[] = {
    {Category::kInput, "values", "in_out_t", "[N,K,C]", 3, 3},
    {Category::kInput, "indices", "index_t", "[N,W]", 2, 2},
    {Category::kInput, "row_count", "i32_t", "[1]", 1, 1, false, true, "", true},
    {Category::kOutput, "output", "in_out_t", "[N,W*row_count,C]", 3, 3},
};

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
  Support support = kInProIntOrFp;
  if (const auto deduced = support_of(type); deduced.any[0] != 0) support = deduced;
  if (type == DType::kINT16)
    for (auto& set : support.any) set |= mask(Profile::kExtInt16);
  return type == DType::kINT64 || index == DType::kINT64 ? with_int64(support) : support;
}

constexpr auto kRows = [] {
  constexpr std::array kElements = {DType::kBOOL, DType::kINT8, DType::kINT16,   DType::kINT32,   DType::kINT64,
                                    DType::kFP16, DType::kFP32, DType::kFP8E4M3, DType::kFP8E5M2, DType::kBF16};
  std::array<TypeRow, 2 * (kElements.size() + std::size(kBlockScaledTypes))> rows{};
  std::size_t next = 0;
  const auto add = [&](DType type) {
    rows[next++] = {{type, DType::kINT32}, indexed_support(type, DType::kINT32), 1, gather_rows<std::int32_t>};
    rows[next++] = {{type, DType::kINT64}, indexed_support(type, DType::kINT64), 1, gather_rows<std::int64_t>};
  };
  for (const auto type : kElements) add(type);
  for (const auto& type : kBlockScaledTypes) add(type.composite);
  return rows;
}();

Wide output_rows(const View& v) { return Wide{v.in_shape(1)[1]} * v.in_int(2); }

constexpr Check kChecks[] = {
    {Rule::kErrorIf, "row_count", "row_count must be at least 1", [](const View& v) { return v.in_int(2) < 1; },
     value_of(2)},
    split_block_in("values"),
    {Rule::kRequire, "indices", "an index must be at least 0 and leave row_count rows up to K",
     [](const View& v) {
       for (const auto index : v.in_ints(1))
         if (index < 0 || Wide{index} + v.in_int(2) > v.in_shape(0)[1]) return true;
       return false;
     },
     value_of(1) | value_of(2)},
    {Rule::kErrorIf, "output", "output must have row_count rows for every index",
     [](const View& v) { return output_rows(v) != v.out_shape(0)[1]; }, value_of(2)},
};

Result<std::vector<Shape>> shapes(const View& v) {
  if (v.in_int(2) < 1) return fail(ErrorCode::kInvalidGraph, "row_count must be at least 1");
  if (output_rows(v) > std::numeric_limits<std::int64_t>::max())
    return fail(ErrorCode::kInvalidGraph, "the output has too many rows");
  return std::vector<Shape>{{v.in_shape(0)[0], static_cast<std::int64_t>(output_rows(v)), v.in_shape(0)[2]}};
}

}  // namespace

extern constexpr Definition kROW_GATHER{
    .op = Op::kROW_GATHER,
    .arguments = kArguments,
    .type_variables = kIndexedTypes,
    .rows = kRows,
    .checks = kChecks,
    .shapes = shapes,
    .shapes_need = value_of(2),
};

}  // namespace macaw::tosa
