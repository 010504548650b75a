#include "reference/tosa/kernels/gemm/block_scaled_matmul_t.hpp"
#include "reference/tosa/op/block_scaled.hpp"
#include "reference/tosa/op/declare.hpp"
#include "reference/tosa/op/elements.hpp"

// MATMUL_T_BLOCK_SCALED: MATMUL_T of values with scales along the dimension that is summed.

namespace macaw::tosa::MATMUL_T_BLOCK_SCALED {
namespace {

/// pseudocode/operators/MATMUL_T_BLOCK_SCALED.tosac
template <class T>
void matmul_t(const Call& call) {
  const auto magnitudes = magnitudes_of_operand(call);
  const FloatInput<T> a(call.in(0), magnitudes), a_scale(call.in(1), magnitudes), b(call.in(2), magnitudes),
      b_scale(call.in(3), magnitudes);
  const auto C = call.in(0).shape()[2], D = call.in(2).shape()[0], block = call.attr(Attr::k_block_size);
  const auto& out = call.out(0).shape();
  Scratch<T> output(static_cast<std::size_t>(call.out(0).size()));
  for_each_position(std::array{out[0], out[1], out[2]}, [&](const auto& at) {
    const auto [n, h, w] = at;
    const auto row = n * out[1] + h, column = (D == 1 ? 0 : n) * out[2] + w;
    T acc = 0;
    for (std::int64_t c = 0; c < C; c += block) {
      T sum = 0;
      for (auto i = c; i < c + block; ++i) sum += a[row * C + i] * b[column * C + i];
      acc += sum * (a_scale[(row * C + c) / block] * b_scale[(column * C + c) / block]);
    }
    output[row * out[2] + w] = acc;
  });
  store_floats<T>(output.span(), call.out(0));
}

struct MatmulT {
  template <class T>
  static Result<void> run(Call& call) {
    if (call.kernels == Kernels::kScalar) matmul_t<T>(call);
    else block_scaled_matmul_t<T>(call);
    return {};
  }
};

constexpr Argument kArguments[] = {
    input("A_data").type("A_t").shape("[N,H,C]").rank(3),
    input("A_scale").type("scale_t").shape("[N,H,C/block_size]").rank(3),
    input("B_data").type("B_t").shape("[D,W,C]").rank(3),
    input("B_scale").type("scale_t").shape("[D,W,C/block_size]").rank(3),
    attribute("block_size").type("block_size_t"),
    output("output_data").type("out_t").shape("[N,H,W]").rank(3),
};
using V = ViewOf<kArguments>;
constexpr std::string_view kTypes[] = {"A_t", "B_t", "scale_t", "out_t"};

constexpr auto kRows = block_scaled_rows([](BlockScaledType type) {
  return row({type.values, type.values, kFP8UE8M0, kFP32})
      .in(kExtMxCommon, type.extension)
      .since(1, 1)
      .by(float_kernel<MatmulT>);
});

constexpr Check kChecks[] = {
    error_if("block_size", kBlocksRule, [](const V& v) { return !blocks_divide(v, v.dim("C")); }),
    kMoreThanOneInBlock,
    error_if("B_data", "B_data must have one batch or as many as A_data",
             [](const V& v) { return v.dim("D") != 1 && v.dim("D") != v.dim("N"); }),
    error_if("A_scale", kScalesRule,
             [](const V& v) { return scales_misfit(v, v.shape("A_data"), v.shape("A_scale")); }),
    error_if("B_scale", kScalesRule,
             [](const V& v) { return scales_misfit(v, v.shape("B_data"), v.shape("B_scale")); }),
};

}  // namespace

extern constexpr Definition kDefinition = {Op::kMATMUL_T_BLOCK_SCALED, kArguments, kTypes, kRows, kChecks};

}  // namespace macaw::tosa::MATMUL_T_BLOCK_SCALED
