#include "reference/tosa/op/block_scaled.hpp"
#include "reference/tosa/op/declare.hpp"
#include "reference/tosa/op/float_rows.hpp"

// RESHAPE_BLOCK_SCALED: RESHAPE of a list of values, or of values and their scales.

namespace macaw::tosa::RESHAPE_BLOCK_SCALED {
namespace {

Result<void> reshape(Call& call) {
  for (std::size_t i = 0; i < call.outputs.size(); ++i)
    std::ranges::copy(call.in(i).bytes(), call.out(i).bytes().begin());
  return {};
}

constexpr Argument kArguments[] = {
    input("input").type("in_out_t").list_with_scales("scale_t"),
    input("new_value_shape").type("shape_t").shape("[rank(new_value_shape)]").rank(1).compile_time_constant(),
    attribute("block_size").type("block_size_t"),
    output("output").type("in_out_t").list_with_scales("scale_t"),
};
using V = ViewOf<kArguments>;
constexpr std::string_view kTypes[] = {"in_out_t", "scale_t"};

constexpr TypeRow kPlain[] = {
    row({kBOOL, kNoType}).in(kProIntOrFp).since(1, 1).by(reshape),
    row({kINT8, kNoType}).in(kProInt).since(1, 1).by(reshape),
    row({kINT16, kNoType}).in(kProInt).since(1, 1).by(reshape),
    row({kINT32, kNoType}).in(kProInt).since(1, 1).by(reshape),
    row({kINT64, kNoType}).in(kExtInt64).since(1, 1).by(reshape),
    row({kFP8E4M3, kNoType}).in(kExtFp8E4M3).since(1, 1).by(reshape),
    row({kFP8E5M2, kNoType}).in(kExtFp8E5M2).since(1, 1).by(reshape),
    row({kFP16, kNoType}).in(kProFp).since(1, 1).by(reshape),
    row({kBF16, kNoType}).in(kExtBf16).since(1, 1).by(reshape),
    row({kFP32, kNoType}).in(kProFp).since(1, 1).by(reshape),
};
constexpr auto kRows =
    join_rows(kPlain, block_scaled_rows([](BlockScaledType type) {
                return row({type.values, kFP8UE8M0}).in(kExtMxCommon, type.extension).since(1, 1).by(reshape);
              }));

/// Members of the input list.
std::size_t length(const V& v) { return v.inputs.size() - 1; }
std::vector<std::int64_t> new_shape(const V& v) { return v.ints("new_value_shape"); }
/// Whether the contents of new_value_shape are there; they need not be before the run.
bool knows_shape(const V& v) { return v["new_value_shape"].value != nullptr; }
bool has_scales(const V& v) { return length(v) == 2; }

bool changes_size(const Shape& from, const Shape& to) {
  const auto count = element_count(to);
  return !count || *count != *element_count(from);
}

constexpr std::string_view kLengthRule = "input must have one member, or two: values and scales";
constexpr Check kChecks[] = {
    error_if("input", kLengthRule, [](const V& v) { return length(v) != 1 && length(v) != 2; }),
    error_if("output", "output must have as many members as input",
             [](const V& v) { return v.outputs.size() != length(v); }),
    error_if("block_size", "block_size must be 1 for values without scales",
             [](const V& v) { return !has_scales(v) && v.attr(Attr::k_block_size) != 1; }),
    error_if("block_size", "block_size must not be 1 for values with scales",
             [](const V& v) { return has_scales(v) && v.attr(Attr::k_block_size) == 1; }),
    error_if("new_value_shape", "input and new_value_shape must have the same number of elements",
             [](const V& v) { return knows_shape(v) && changes_size(v.shape("input"), new_shape(v)); }),
    error_if(
        "input", "values with scales must have a rank of at least 1",
        [](const V& v) { return has_scales(v) && (v.rank("input") == 0 || (knows_shape(v) && new_shape(v).empty())); }),
    error_if("input", "values and scales must have the same rank",
             [](const V& v) {
               return has_scales(v) && v.rank("input") != static_cast<std::int64_t>(v.inputs[1].shape->size());
             }),
    error_if("input", kBlocksRule,
             [](const V& v) { return has_scales(v) && !blocks_divide(v, v.shape("input").back()); }),
    error_if("new_value_shape", kBlocksRule,
             [](const V& v) { return has_scales(v) && knows_shape(v) && !blocks_divide(v, new_shape(v).back()); }),
    error_if("input", "the last extent of the scales must be that of the values divided by block_size",
             [](const V& v) {
               return has_scales(v) &&
                      v.inputs[1].shape->back() != v.shape("input").back() / v.attr(Attr::k_block_size);
             }),
    error_if("input", "the scales must keep their number",
             [](const V& v) {
               return has_scales(v) && knows_shape(v) &&
                      changes_size(*v.inputs[1].shape, scale_shape(new_shape(v), v.attr(Attr::k_block_size)));
             }),
    error_if("output", "the members of output must have the new shape of the values and of the scales",
             [](const V& v) {
               if (!knows_shape(v)) return false;
               return v.shape("output") != new_shape(v) ||
                      (has_scales(v) && scales_misfit(v, v.shape("output"), *v.outputs[1].shape));
             }),
};

Result<std::vector<Shape>> shapes(const V& v) {
  if ((length(v) != 1 && length(v) != 2) || !knows_shape(v)) return std::vector<Shape>();
  std::vector<Shape> result{new_shape(v)};
  if (!has_scales(v)) return result;
  if (result[0].empty() || !blocks_divide(v, result[0].back()))
    return fail(ErrorCode::kInvalidGraph, std::string(kBlocksRule));
  result.push_back(scale_shape(result[0], v.attr(Attr::k_block_size)));
  return result;
}

}  // namespace

extern constexpr Definition kDefinition = {
    Op::kRESHAPE_BLOCK_SCALED, kArguments, kTypes, kRows, kChecks, named<shapes>};

}  // namespace macaw::tosa::RESHAPE_BLOCK_SCALED
