#include <cstring>

#include "reference/op/block_scaled.hpp"
#include "reference/op/scatter_gather/rows.hpp"

// ROW_GATHER_BLOCK_SCALED: row_count rows from every index on, of values or of values and their scales.

namespace macaw::tosa {
namespace {

/// Members of the list `values`, which indices and row_count follow.
std::size_t length(std::size_t inputs) { return inputs - 2; }
std::size_t length(const View& v) { return length(v.inputs.size()); }
bool has_known_length(const View& v) { return length(v) == 1 || length(v) == 2; }
/// Nothing if it is not known yet.
std::optional<std::int64_t> row_count(const View& v) {
  if (!v.inputs.back().value) return std::nullopt;
  return v.in_int(v.inputs.size() - 1);
}

constexpr Check kIndexInRange =
    found_by_kernel("indices", "an index must be at least 0, and index + row_count not more than K");

template <class Index>
struct RowGather {
  static Result<void> kernel(Call& call) {
    const auto members = length(call.inputs.size());
    const auto count = std::int64_t{call.in_data<std::int32_t>(members + 1)[0]};
    const auto &shape = call.in(0).shape(), &index_shape = call.in(members).shape();
    const auto rows = shape[1];
    bool holds = true;
    for (std::size_t member = 0; member < members; ++member) {
      const auto& values = call.in(member);
      const auto row_bytes = static_cast<std::size_t>(values.shape()[2]) * size_of(values.dtype());
      const auto chunk = row_bytes * static_cast<std::size_t>(count);
      const auto* index = call.in_data<Index>(members).data();
      auto* out = call.out(member).bytes().data();
      for (std::int64_t n = 0; n < index_shape[0]; ++n)
        for (std::int64_t w = 0; w < index_shape[1]; ++w, ++index, out += chunk) {
          const bool inside = *index >= 0 && count <= rows && *index <= rows - count;
          holds &= inside;
          if (inside)
            std::memcpy(out, values.bytes().data() + static_cast<std::size_t>(n * rows + *index) * row_bytes, chunk);
        }
    }
    call.require(holds, kIndexInRange);
    return {};
  }
};

// tosa.xml gives the lists rank 4; their shapes [N,K,C] have rank 3.
constexpr Argument kArguments[] = {
    {.category = Category::kInput,
     .name = "values",
     .type = "in_out_t",
     .min_rank = 3,
     .max_rank = 3,
     .list = true,
     .scale_type = "scale_t"},
    {Category::kInput, "indices", "index_t", "[N,W]", 2, 2},
    {Category::kInput, "row_count", "i32_t", "[1]", 1, 1, false, true},
    {Category::kAttribute, "block_size", "block_size_t"},
    {.category = Category::kOutput,
     .name = "output",
     .type = "in_out_t",
     .min_rank = 3,
     .max_rank = 3,
     .list = true,
     .scale_type = "scale_t"},
};
constexpr std::string_view kTypes[] = {"index_t", "in_out_t", "scale_t"};

struct Plain {
  DType dtype;
  Support support;
};
constexpr Plain kPlain[] = {
    {DType::kBOOL, kInProIntOrFp},  {DType::kINT8, kInProIntOrFp},    {DType::kINT16, kInProIntOrFp},
    {DType::kINT32, kInProIntOrFp}, {DType::kFP8E4M3, kInExtFp8E4M3}, {DType::kFP8E5M2, kInExtFp8E5M2},
    {DType::kFP16, kInProFp},       {DType::kBF16, kInExtBf16},       {DType::kFP32, kInProFp},
};

template <class Index, DType kIndex>
constexpr void add_rows(TypeRow*& row) {
  const auto support = [](Support of) { return kIndex == DType::kINT64 ? with_int64(of) : of; };
  for (const auto& type : kPlain)
    *row++ = {{kIndex, type.dtype, kNoType}, support(type.support), 1, RowGather<Index>::kernel};
  for (const auto& type : kBlockScaledTypes)
    *row++ = {{kIndex, type.values, DType::kFP8UE8M0},
              support(all_of(Profile::kExtMxCommon, type.extension)),
              1,
              RowGather<Index>::kernel};
}

constexpr auto kRows = [] {
  std::array<TypeRow, 2 * (std::size(kPlain) + std::size(kBlockScaledTypes)) + 1> rows{};
  auto* row = rows.data();
  add_rows<std::int32_t, DType::kINT32>(row);
  add_rows<std::int64_t, DType::kINT64>(row);
  *row = {{DType::kINT64, DType::kINT64, kNoType}, kInExtInt64, 1, RowGather<std::int64_t>::kernel};
  return rows;
}();

/// The shape of an output, or nothing if its extent does not fit or row_count is not known.
std::optional<Shape> gathered(const View& v, std::size_t member) {
  const auto count = row_count(v);
  std::int64_t rows = 0;
  if (!count || __builtin_mul_overflow(v.in_shape(length(v))[1], *count, &rows)) return std::nullopt;
  return Shape{v.in_shape(member)[0], rows, v.in_shape(member)[2]};
}

constexpr Check kChecks[] = {
    {Rule::kErrorIf, "block_size", kBlocksRule,
     [](const View& v) { return has_known_length(v) && !blocks_divide(v, v.in_shape(0)[2]); }},
    {Rule::kErrorIf, "values", "values must have one member, or two: values and scales",
     [](const View& v) { return !has_known_length(v); }},
    {Rule::kErrorIf, "block_size", "block_size must be 1 for values without scales",
     [](const View& v) { return length(v) == 1 && v.attr(Attr::k_block_size) != 1; }},
    {Rule::kErrorIf, "block_size", "block_size must not be 1 for values with scales",
     [](const View& v) { return length(v) == 2 && v.attr(Attr::k_block_size) == 1; }},
    {Rule::kErrorIf, "row_count", "row_count must be at least 1",
     [](const View& v) { return row_count(v).value_or(1) < 1; }},
    kIndexInRange,
    {Rule::kErrorIf, "output", "output must have as many members as values",
     [](const View& v) { return v.outputs.size() != length(v); }},
    {Rule::kErrorIf, "values", kScalesRule,
     [](const View& v) { return length(v) == 2 && scales_misfit(v, v.in_shape(0), v.in_shape(1)); }},
    {Rule::kErrorIf, "indices", "indices must have as many batches as values",
     [](const View& v) { return v.in_shape(0)[0] != v.in_shape(length(v))[0]; }},
    {Rule::kErrorIf, "output", "the members of output must have the shapes [N,W*row_count,C] of those of values",
     [](const View& v) {
       for (std::size_t i = 0; row_count(v) && i < v.outputs.size(); ++i)
         if (gathered(v, i) != v.out_shape(i)) return true;
       return false;
     }},
};

Result<std::vector<Shape>> shapes(const View& v) {
  std::vector<Shape> result;
  for (std::size_t i = 0; has_known_length(v) && i < length(v); ++i)
    if (const auto shape = gathered(v, i)) result.push_back(*shape);
  return result;
}

}  // namespace

extern constexpr Definition kROW_GATHER_BLOCK_SCALED = {
    Op::kROW_GATHER_BLOCK_SCALED, kArguments, kTypes, kRows, kChecks, shapes};

}  // namespace macaw::tosa
