#include <cstring>

#include "reference/tosa/op/block_scaled.hpp"
#include "reference/tosa/op/declare.hpp"
#include "reference/tosa/op/scatter_gather/rows.hpp"

// ROW_GATHER_BLOCK_SCALED: row_count rows from every index on, of values or of values and their scales.

namespace macaw::tosa::ROW_GATHER_BLOCK_SCALED {
namespace {

// tosa.xml gives the lists rank 4; their shapes [N,K,C] have rank 3.
constexpr Argument kArguments[] = {
    input("values").type("in_out_t").rank(3).list_with_scales("scale_t"),
    input("indices").type("index_t").shape("[N,W]").rank(2),
    input("row_count").type("i32_t").shape("[1]").rank(1).compile_time_constant(),
    attribute("block_size").type("block_size_t"),
    output("output").type("in_out_t").rank(3).list_with_scales("scale_t"),
};
using V = ViewOf<kArguments>;

/// Members of the list `values`, which indices and row_count follow.
std::size_t length(std::size_t inputs) { return inputs - 2; }
std::size_t length(const V& v) { return length(v.inputs.size()); }
bool has_known_length(const V& v) { return length(v) == 1 || length(v) == 2; }
/// Nothing if it is not known yet.
std::optional<std::int64_t> row_count(const V& v) {
  if (!v["row_count"].value) return std::nullopt;
  return v.integer("row_count");
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

constexpr std::string_view kTypes[] = {"index_t", "in_out_t", "scale_t"};

struct Plain {
  DType dtype;
  Support support;
};
constexpr Plain kPlain[] = {
    {kBOOL, kProIntOrFp},
    {kINT8, kProIntOrFp},
    {kINT16, kProIntOrFp},
    {kINT32, kProIntOrFp},
    {kFP8E4M3, all_of(kExtFp8E4M3)},
    {kFP8E5M2, all_of(kExtFp8E5M2)},
    {kFP16, all_of(kProFp)},
    {kBF16, all_of(kExtBf16)},
    {kFP32, all_of(kProFp)},
};

template <class Index, DType kIndex>
constexpr void add_rows(TypeRow*& to) {
  const auto support = [](Support of) { return kIndex == kINT64 ? with_int64(of) : of; };
  for (const auto& type : kPlain)
    *to++ = row({kIndex, type.dtype, kNoType}).in(support(type.support)).since(1, 1).by(RowGather<Index>::kernel);
  for (const auto& type : kBlockScaledTypes)
    *to++ = row({kIndex, type.values, kFP8UE8M0})
                .in(support(all_of(kExtMxCommon, type.extension)))
                .since(1, 1)
                .by(RowGather<Index>::kernel);
}

constexpr auto kRows = [] {
  std::array<TypeRow, 2 * (std::size(kPlain) + std::size(kBlockScaledTypes)) + 1> rows{};
  auto* to = rows.data();
  add_rows<std::int32_t, kINT32>(to);
  add_rows<std::int64_t, kINT64>(to);
  *to = row({kINT64, kINT64, kNoType}).in(kExtInt64).since(1, 1).by(RowGather<std::int64_t>::kernel);
  return rows;
}();

/// The shape of an output, or nothing if its extent does not fit or row_count is not known.
std::optional<Shape> gathered(const V& v, std::size_t member) {
  const auto count = row_count(v);
  std::int64_t rows = 0;
  if (!count || __builtin_mul_overflow(v.dim("W"), *count, &rows)) return std::nullopt;
  return Shape{(*v.inputs[member].shape)[0], rows, (*v.inputs[member].shape)[2]};
}

constexpr Check kChecks[] = {
    error_if("block_size", kBlocksRule,
             [](const V& v) { return has_known_length(v) && !blocks_divide(v, v.shape("values")[2]); }),
    error_if("values", "values must have one member, or two: values and scales",
             [](const V& v) { return !has_known_length(v); }),
    error_if("block_size", "block_size must be 1 for values without scales",
             [](const V& v) { return length(v) == 1 && v.attr(Attr::k_block_size) != 1; }),
    error_if("block_size", "block_size must not be 1 for values with scales",
             [](const V& v) { return length(v) == 2 && v.attr(Attr::k_block_size) == 1; }),
    error_if("row_count", "row_count must be at least 1", [](const V& v) { return row_count(v).value_or(1) < 1; }),
    kIndexInRange,
    error_if("output", "output must have as many members as values",
             [](const V& v) { return v.outputs.size() != length(v); }),
    error_if("values", kScalesRule,
             [](const V& v) { return length(v) == 2 && scales_misfit(v, v.shape("values"), *v.inputs[1].shape); }),
    error_if("indices", "indices must have as many batches as values",
             [](const V& v) { return v.shape("values")[0] != v.dim("N"); }),
    error_if("output", "the members of output must have the shapes [N,W*row_count,C] of those of values",
             [](const V& v) {
               for (std::size_t i = 0; row_count(v) && i < v.outputs.size(); ++i)
                 if (gathered(v, i) != *v.outputs[i].shape) return true;
               return false;
             }),
};

Result<std::vector<Shape>> shapes(const V& v) {
  std::vector<Shape> result;
  for (std::size_t i = 0; has_known_length(v) && i < length(v); ++i)
    if (const auto shape = gathered(v, i)) result.push_back(*shape);
  return result;
}

}  // namespace

extern constexpr Definition kDefinition = {
    Op::kROW_GATHER_BLOCK_SCALED, kArguments, kTypes, kRows, kChecks, named<shapes>};

}  // namespace macaw::tosa::ROW_GATHER_BLOCK_SCALED
