#include "reference/tosa/kernels/convert/blocks.hpp"
#include "reference/tosa/op/block_scaled.hpp"
#include "reference/tosa/op/declare.hpp"

// CAST_TO_BLOCK_SCALED: a scale for each block from its greatest magnitude, and the values divided by it.

namespace macaw::tosa::CAST_TO_BLOCK_SCALED {
namespace {

/// pseudocode/operators/CAST_TO_BLOCK_SCALED.tosac; `type` is the values', which a precise run stores as double.
template <class T>
void cast_to(const Call& call, DType type) {
  const FloatInput<T> input(call.in(0));
  const auto block = static_cast<std::size_t>(call.attr(Attr::k_block_size));
  Scratch<T> values(input.size()), scales(input.size() / block);
  for (std::size_t b = 0; b < scales.span().size(); ++b) {
    T greatest = 0;
    for (std::size_t i = b * block; i < (b + 1) * block; ++i)
      greatest = float_max<false>(greatest, std::fabs(input[i]));
    scales[b] = static_cast<T>(calc_block_scale(greatest, type));
    for (std::size_t i = b * block; i < (b + 1) * block; ++i) values[i] = input[i] / scales[b];
  }
  store_floats<T>(values.span(), call.out(0));
  store_floats<T>(scales.span(), call.out(1));
}

template <DType Values>
struct CastToBlockScaled {
  template <class T>
  static Result<void> run(Call& call) {
    if (call.kernels == Kernels::kScalar) {
      cast_to<T>(call, Values);
      return {};
    }
    auto &values = call.out(0), &scales = call.out(1);
    divide_blocks<T>(
        call, Values,
        {values.dtype(), scales.dtype(), values.uninitialized_bytes().data(), scales.uninitialized_bytes().data()});
    return {};
  }
};

constexpr Argument kArguments[] = {
    input("input_data").type("in_t").shape("shape").least_rank(1),
    attribute("block_size").type("block_size_t"),
    output("output_data").type("out_t").shape("shape").least_rank(1),
    output("output_scale").type("scale_t").shape("out_scale_shape").least_rank(1),
};
using V = ViewOf<kArguments>;
constexpr std::string_view kTypes[] = {"in_t", "scale_t", "out_t"};

// tosa.xml leaves EXT-BF16 out of the row from bf16 to fp4e2m1.
constexpr auto kRows = [] {
  constexpr auto kCount = std::size(kBlockScaledTypes);
  const auto from_bf16 = block_scaled_rows([](BlockScaledType type) {
    const auto support =
        type.values == kFP4E2M1 ? all_of(kExtMxCommon, type.extension) : all_of(kExtMxCommon, type.extension, kExtBf16);
    return row({kBF16, kFP8UE8M0, type.values}).in(support).since(1, 1).by(kernel_of<CastToBlockScaled>(type.values));
  });
  const auto from_fp32 = block_scaled_rows([](BlockScaledType type) {
    return row({kFP32, kFP8UE8M0, type.values})
        .in(kExtMxCommon, type.extension)
        .since(1, 1)
        .by(kernel_of<CastToBlockScaled>(type.values));
  });
  std::array<TypeRow, 2 * kCount> rows{};
  std::ranges::copy(from_fp32, std::ranges::copy(from_bf16, rows.begin()).out);
  return rows;
}();

constexpr Check kChecks[] = {
    error_if("block_size", kBlocksRule,
             [](const V& v) { return v.rank("input_data") == 0 || !blocks_divide(v, v.shape("input_data").back()); }),
    kMoreThanOneInBlock,
    error_if("output_scale", kScalesRule,
             [](const V& v) { return scales_misfit(v, v.shape("input_data"), v.shape("output_scale")); }),
};

Result<std::vector<Shape>> shapes(const V& v) {
  const auto& shape = v.shape("input_data");
  if (shape.empty() || !blocks_divide(v, shape.back())) return fail(ErrorCode::kInvalidGraph, std::string(kBlocksRule));
  return std::vector{shape, scale_shape(shape, v.attr(Attr::k_block_size))};
}

}  // namespace

extern constexpr Definition kDefinition = {
    Op::kCAST_TO_BLOCK_SCALED, kArguments, kTypes, kRows, kChecks, named<shapes>};

}  // namespace macaw::tosa::CAST_TO_BLOCK_SCALED
