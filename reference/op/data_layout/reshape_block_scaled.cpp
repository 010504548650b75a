#include "reference/op/block_scaled.hpp"
#include "reference/op/float_rows.hpp"

// RESHAPE_BLOCK_SCALED: RESHAPE of a list of values, or of values and their scales.

namespace macaw::tosa {
namespace {

Result<void> reshape(Call& call) {
  for (std::size_t i = 0; i < call.outputs.size(); ++i)
    std::ranges::copy(call.in(i).bytes(), call.out(i).bytes().begin());
  return {};
}

constexpr Argument kArguments[] = {
    {.category = Category::kInput, .name = "input", .type = "in_out_t", .list = true, .scale_type = "scale_t"},
    {Category::kInput, "new_value_shape", "shape_t", "[rank(new_value_shape)]", 1, 1, false, true},
    {Category::kAttribute, "block_size", "block_size_t"},
    {.category = Category::kOutput, .name = "output", .type = "in_out_t", .list = true, .scale_type = "scale_t"},
};
constexpr std::string_view kTypes[] = {"in_out_t", "scale_t"};

constexpr TypeRow kPlain[] = {
    {{DType::kBOOL, kNoType}, kInProIntOrFp, 1, reshape},    {{DType::kINT8, kNoType}, kInProInt, 1, reshape},
    {{DType::kINT16, kNoType}, kInProInt, 1, reshape},       {{DType::kINT32, kNoType}, kInProInt, 1, reshape},
    {{DType::kINT64, kNoType}, kInExtInt64, 1, reshape},     {{DType::kFP8E4M3, kNoType}, kInExtFp8E4M3, 1, reshape},
    {{DType::kFP8E5M2, kNoType}, kInExtFp8E5M2, 1, reshape}, {{DType::kFP16, kNoType}, kInProFp, 1, reshape},
    {{DType::kBF16, kNoType}, kInExtBf16, 1, reshape},       {{DType::kFP32, kNoType}, kInProFp, 1, reshape},
};
constexpr auto kRows = join_rows(
    kPlain, block_scaled_rows([](BlockScaledType type) {
      return TypeRow{{type.values, DType::kFP8UE8M0}, all_of(Profile::kExtMxCommon, type.extension), 1, reshape};
    }));

/// Members of the input list.
std::size_t length(const View& v) { return v.inputs.size() - 1; }
std::vector<std::int64_t> new_shape(const View& v) { return v.in_ints(length(v)); }
/// Whether the contents of new_value_shape are there; they need not be before the run.
bool knows_shape(const View& v) { return v.inputs.back().value != nullptr; }
bool has_scales(const View& v) { return length(v) == 2; }

bool changes_size(const Shape& from, const Shape& to) {
  const auto count = element_count(to);
  return !count || *count != *element_count(from);
}

constexpr std::string_view kLengthRule = "input must have one member, or two: values and scales";
constexpr Check kChecks[] = {
    {Rule::kErrorIf, "input", kLengthRule, [](const View& v) { return length(v) != 1 && length(v) != 2; }},
    {Rule::kErrorIf, "output", "output must have as many members as input",
     [](const View& v) { return v.outputs.size() != length(v); }},
    {Rule::kErrorIf, "block_size", "block_size must be 1 for values without scales",
     [](const View& v) { return !has_scales(v) && v.attr(Attr::k_block_size) != 1; }},
    {Rule::kErrorIf, "block_size", "block_size must not be 1 for values with scales",
     [](const View& v) { return has_scales(v) && v.attr(Attr::k_block_size) == 1; }},
    {Rule::kErrorIf, "new_value_shape", "input and new_value_shape must have the same number of elements",
     [](const View& v) { return knows_shape(v) && changes_size(v.in_shape(0), new_shape(v)); }},
    {Rule::kErrorIf, "input", "values with scales must have a rank of at least 1",
     [](const View& v) { return has_scales(v) && (v.in_rank(0) == 0 || (knows_shape(v) && new_shape(v).empty())); }},
    {Rule::kErrorIf, "input", "values and scales must have the same rank",
     [](const View& v) { return has_scales(v) && v.in_rank(0) != v.in_rank(1); }},
    {Rule::kErrorIf, "input", kBlocksRule,
     [](const View& v) { return has_scales(v) && !blocks_divide(v, v.in_shape(0).back()); }},
    {Rule::kErrorIf, "new_value_shape", kBlocksRule,
     [](const View& v) { return has_scales(v) && knows_shape(v) && !blocks_divide(v, new_shape(v).back()); }},
    {Rule::kErrorIf, "input", "the last extent of the scales must be that of the values divided by block_size",
     [](const View& v) {
       return has_scales(v) && v.in_shape(1).back() != v.in_shape(0).back() / v.attr(Attr::k_block_size);
     }},
    {Rule::kErrorIf, "input", "the scales must keep their number",
     [](const View& v) {
       return has_scales(v) && knows_shape(v) &&
              changes_size(v.in_shape(1), scale_shape(new_shape(v), v.attr(Attr::k_block_size)));
     }},
    {Rule::kErrorIf, "output", "the members of output must have the new shape of the values and of the scales",
     [](const View& v) {
       if (!knows_shape(v)) return false;
       return v.out_shape(0) != new_shape(v) || (has_scales(v) && scales_misfit(v, v.out_shape(0), v.out_shape(1)));
     }},
};

Result<std::vector<Shape>> shapes(const View& v) {
  if ((length(v) != 1 && length(v) != 2) || !knows_shape(v)) return std::vector<Shape>();
  std::vector<Shape> result{new_shape(v)};
  if (!has_scales(v)) return result;
  if (result[0].empty() || !blocks_divide(v, result[0].back()))
    return fail(ErrorCode::kInvalidGraph, std::string(kBlocksRule));
  result.push_back(scale_shape(result[0], v.attr(Attr::k_block_size)));
  return result;
}

}  // namespace

extern constexpr Definition kRESHAPE_BLOCK_SCALED = {
    Op::kRESHAPE_BLOCK_SCALED, kArguments, kTypes, kRows, kChecks, shapes};

}  // namespace macaw::tosa
