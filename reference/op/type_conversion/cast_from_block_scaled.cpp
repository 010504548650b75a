#include "reference/fast/convert/blocks.hpp"
#include "reference/op/block_scaled.hpp"

// CAST_FROM_BLOCK_SCALED: every value times the scale of its block; the bounds of a precise run are the scales.

namespace macaw::tosa {
namespace {

struct CastFromBlockScaled {
  template <class T>
  static Result<void> run(Call& call) {
    const auto &values = call.in(0), &scales = call.in(1);
    multiply_blocks<T>(call, {values.dtype(), scales.dtype(), values.bytes().data(), scales.bytes().data()});
    return {};
  }
};

constexpr Argument kArguments[] = {
    {Category::kInput, "input_data", "in_t", "shape", 1},
    {Category::kInput, "input_scale", "scale_t", "in_scale_shape", 1},
    {Category::kAttribute, "block_size", "block_size_t"},
    {Category::kOutput, "output_data", "out_t", "shape", 1},
};
constexpr std::string_view kTypes[] = {"in_t", "scale_t", "out_t"};

constexpr auto kRows = [] {
  constexpr auto kCount = std::size(kBlockScaledTypes);
  const auto to_bf16 = block_scaled_rows([](BlockScaledType type) {
    return TypeRow{{type.values, DType::kFP8UE8M0, DType::kBF16},
                   all_of(Profile::kExtMxCommon, type.extension, Profile::kExtBf16),
                   1,
                   float_kernel<CastFromBlockScaled>};
  });
  const auto to_fp32 = block_scaled_rows([](BlockScaledType type) {
    return TypeRow{{type.values, DType::kFP8UE8M0, DType::kFP32},
                   all_of(Profile::kExtMxCommon, type.extension),
                   1,
                   float_kernel<CastFromBlockScaled>};
  });
  std::array<TypeRow, 2 * kCount> rows{};
  std::ranges::copy(to_fp32, std::ranges::copy(to_bf16, rows.begin()).out);
  return rows;
}();

constexpr Check kChecks[] = {
    {Rule::kErrorIf, "block_size", kBlocksRule,
     [](const View& v) { return v.in_rank(0) == 0 || !blocks_divide(v, v.in_shape(0).back()); }},
    {Rule::kErrorIf, "input_scale", "input_data and input_scale must have the same rank",
     [](const View& v) { return v.in_rank(0) != v.in_rank(1); }},
    kMoreThanOneInBlock,
    {Rule::kErrorIf, "input_scale", "input_data and input_scale must have the same extents but the last",
     [](const View& v) { return !std::equal(v.in_shape(0).begin(), v.in_shape(0).end() - 1, v.in_shape(1).begin()); }},
    {Rule::kErrorIf, "input_scale", "the last extent of input_data must be that of input_scale times block_size",
     [](const View& v) { return v.in_shape(0).back() / v.attr(Attr::k_block_size) != v.in_shape(1).back(); }},
};

}  // namespace

extern constexpr Definition kCAST_FROM_BLOCK_SCALED = {Op::kCAST_FROM_BLOCK_SCALED, kArguments, kTypes, kRows, kChecks};

}  // namespace macaw::tosa
