#include "reference/tosa/kernels/convert/blocks.hpp"
#include "reference/tosa/op/block_scaled.hpp"
#include "reference/tosa/op/declare.hpp"

// CAST_FROM_BLOCK_SCALED: every value times the scale of its block; the bounds of a precise run are the scales.

namespace macaw::tosa::CAST_FROM_BLOCK_SCALED {
namespace {

/// pseudocode/operators/CAST_FROM_BLOCK_SCALED.tosac
template <class T>
void cast_from(const Call& call) {
  const FloatInput<T> values(call.in(0)), scales(call.in(1));
  const auto block = static_cast<std::size_t>(call.attr(Attr::k_block_size));
  Scratch<T> output(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) output[i] = (call.bounds ? T{1} : values[i]) * scales[i / block];
  store_floats<T>(output.span(), call.out(0));
}

struct CastFromBlockScaled {
  template <class T>
  static Result<void> run(Call& call) {
    if (call.kernels == Kernels::kScalar) {
      cast_from<T>(call);
      return {};
    }
    const auto &values = call.in(0), &scales = call.in(1);
    multiply_blocks<T>(call, {values.dtype(), scales.dtype(), values.bytes().data(), scales.bytes().data()});
    return {};
  }
};

constexpr Argument kArguments[] = {
    input("input_data").type("in_t").shape("shape").least_rank(1),
    input("input_scale").type("scale_t").shape("in_scale_shape").least_rank(1),
    attribute("block_size").type("block_size_t"),
    output("output_data").type("out_t").shape("shape").least_rank(1),
};
using V = ViewOf<kArguments>;
constexpr std::string_view kTypes[] = {"in_t", "scale_t", "out_t"};

constexpr auto kRows = [] {
  constexpr auto kCount = std::size(kBlockScaledTypes);
  const auto to_bf16 = block_scaled_rows([](BlockScaledType type) {
    return row({type.values, kFP8UE8M0, kBF16})
        .in(kExtMxCommon, type.extension, kExtBf16)
        .since(1, 1)
        .by(float_kernel<CastFromBlockScaled>);
  });
  const auto to_fp32 = block_scaled_rows([](BlockScaledType type) {
    return row({type.values, kFP8UE8M0, kFP32})
        .in(kExtMxCommon, type.extension)
        .since(1, 1)
        .by(float_kernel<CastFromBlockScaled>);
  });
  std::array<TypeRow, 2 * kCount> rows{};
  std::ranges::copy(to_fp32, std::ranges::copy(to_bf16, rows.begin()).out);
  return rows;
}();

constexpr Check kChecks[] = {
    error_if("block_size", kBlocksRule,
             [](const V& v) { return v.rank("input_data") == 0 || !blocks_divide(v, v.shape("input_data").back()); }),
    error_if("input_scale", "input_data and input_scale must have the same rank",
             [](const V& v) { return v.rank("input_data") != v.rank("input_scale"); }),
    kMoreThanOneInBlock,
    error_if("input_scale", "input_data and input_scale must have the same extents but the last",
             [](const V& v) {
               return !std::equal(v.shape("input_data").begin(), v.shape("input_data").end() - 1,
                                  v.shape("input_scale").begin());
             }),
    error_if("input_scale", "the last extent of input_data must be that of input_scale times block_size",
             [](const V& v) {
               return v.shape("input_data").back() / v.attr(Attr::k_block_size) != v.shape("input_scale").back();
             }),
};

}  // namespace

extern constexpr Definition kDefinition = {Op::kCAST_FROM_BLOCK_SCALED, kArguments, kTypes, kRows, kChecks};

}  // namespace macaw::tosa::CAST_FROM_BLOCK_SCALED
