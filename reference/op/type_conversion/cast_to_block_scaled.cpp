#include "reference/fast/convert/blocks.hpp"
#include "reference/op/block_scaled.hpp"

// CAST_TO_BLOCK_SCALED: a scale for each block from its greatest magnitude, and the values divided by it.

namespace macaw::tosa {
namespace {

template <DType Values>
struct CastToBlockScaled {
  template <class T>
  static Result<void> run(Call& call) {
    auto &values = call.out(0), &scales = call.out(1);
    divide_blocks<T>(call, Values,
                     {values.dtype(), scales.dtype(), values.bytes_to_fill().data(), scales.bytes_to_fill().data()});
    return {};
  }
};

constexpr Argument kArguments[] = {
    {Category::kInput, "input_data", "in_t", "shape", 1},
    {Category::kAttribute, "block_size", "block_size_t"},
    {Category::kOutput, "output_data", "out_t", "shape", 1},
    {Category::kOutput, "output_scale", "scale_t", "out_scale_shape", 1},
};
constexpr std::string_view kTypes[] = {"in_t", "scale_t", "out_t"};

// tosa.xml leaves EXT-BF16 out of the row from bf16 to fp4e2m1.
constexpr auto kRows = [] {
  constexpr auto kCount = std::size(kBlockScaledTypes);
  const auto from_bf16 = block_scaled_rows([](BlockScaledType type) {
    const auto support = type.values == DType::kFP4E2M1
                             ? all_of(Profile::kExtMxCommon, type.extension)
                             : all_of(Profile::kExtMxCommon, type.extension, Profile::kExtBf16);
    return TypeRow{
        {DType::kBF16, DType::kFP8UE8M0, type.values}, support, 1, kernel_of<CastToBlockScaled>(type.values)};
  });
  const auto from_fp32 = block_scaled_rows([](BlockScaledType type) {
    return TypeRow{{DType::kFP32, DType::kFP8UE8M0, type.values},
                   all_of(Profile::kExtMxCommon, type.extension),
                   1,
                   kernel_of<CastToBlockScaled>(type.values)};
  });
  std::array<TypeRow, 2 * kCount> rows{};
  std::ranges::copy(from_fp32, std::ranges::copy(from_bf16, rows.begin()).out);
  return rows;
}();

constexpr Check kChecks[] = {
    {Rule::kErrorIf, "block_size", kBlocksRule,
     [](const View& v) { return v.in_rank(0) == 0 || !blocks_divide(v, v.in_shape(0).back()); }},
    kMoreThanOneInBlock,
    {Rule::kErrorIf, "output_scale", kScalesRule,
     [](const View& v) { return scales_misfit(v, v.in_shape(0), v.out_shape(1)); }},
};

Result<std::vector<Shape>> shapes(const View& v) {
  const auto& shape = v.in_shape(0);
  if (shape.empty() || !blocks_divide(v, shape.back())) return fail(ErrorCode::kInvalidGraph, std::string(kBlocksRule));
  return std::vector{shape, scale_shape(shape, v.attr(Attr::k_block_size))};
}

}  // namespace

extern constexpr Definition kCAST_TO_BLOCK_SCALED = {
    Op::kCAST_TO_BLOCK_SCALED, kArguments, kTypes, kRows, kChecks, shapes};

}  // namespace macaw::tosa
