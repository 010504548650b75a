#include "reference/op/block_scaled.hpp"
#include "reference/op/tensor/block_scaled_product.hpp"
#include "reference/op/tensor/dot_product.hpp"

// MATMUL_T_BLOCK_SCALED: MATMUL_T of values with scales along the dimension that is summed.

namespace macaw::tosa {
namespace {

struct MatmulT {
  template <class T>
  static Result<void> run(Call& call) {
    const auto &a_shape = call.in(0).shape(), &b_shape = call.in(2).shape();
    const auto batches = static_cast<std::size_t>(a_shape[0]), rows = static_cast<std::size_t>(a_shape[1]),
               k = static_cast<std::size_t>(a_shape[2]), columns = static_cast<std::size_t>(b_shape[1]);
    const auto block = static_cast<std::size_t>(call.attr(Attr::k_block_size)), blocks = k / block;
    const auto a = dot_product_operand<T>(call, 0), a_scale = dot_product_operand<T>(call, 1),
               b = dot_product_operand<T>(call, 2), b_scale = dot_product_operand<T>(call, 3);
    FloatOutput<T> out(call.out(0));
    for (std::size_t n = 0; n < batches; ++n) {
      const auto d = b_shape[0] == 1 ? 0 : n;
      add_block_scaled_product<T>(
          {a.data() + n * rows * k, a_scale.data() + n * rows * blocks, rows, k, block},
          {b.data() + d * columns * k, b_scale.data() + d * columns * blocks, columns, k, block},
          out.data() + n * rows * columns);
    }
    return {};
  }
};

constexpr Argument kArguments[] = {
    {Category::kInput, "A_data", "A_t", "[N,H,C]", 3, 3},
    {Category::kInput, "A_scale", "scale_t", "[N,H,C/block_size]", 3, 3},
    {Category::kInput, "B_data", "B_t", "[D,W,C]", 3, 3},
    {Category::kInput, "B_scale", "scale_t", "[D,W,C/block_size]", 3, 3},
    {Category::kAttribute, "block_size", "block_size_t"},
    {Category::kOutput, "output_data", "out_t", "[N,H,W]", 3, 3},
};
constexpr std::string_view kTypes[] = {"A_t", "B_t", "scale_t", "out_t"};

constexpr auto kRows = block_scaled_rows([](BlockScaledType type) {
  return TypeRow{{type.values, type.values, DType::kFP8UE8M0, DType::kFP32},
                 all_of(Profile::kExtMxCommon, type.extension),
                 1,
                 float_kernel<MatmulT>};
});

constexpr Check kChecks[] = {
    {Rule::kErrorIf, "block_size", kBlocksRule, [](const View& v) { return !blocks_divide(v, v.in_shape(0)[2]); }},
    kMoreThanOneInBlock,
    {Rule::kErrorIf, "B_data", "B_data must have one batch or as many as A_data",
     [](const View& v) { return v.in_shape(2)[0] != 1 && v.in_shape(2)[0] != v.in_shape(0)[0]; }},
    {Rule::kErrorIf, "A_scale", kScalesRule,
     [](const View& v) { return scales_misfit(v, v.in_shape(0), v.in_shape(1)); }},
    {Rule::kErrorIf, "B_scale", kScalesRule,
     [](const View& v) { return scales_misfit(v, v.in_shape(2), v.in_shape(3)); }},
};

}  // namespace

extern constexpr Definition kMATMUL_T_BLOCK_SCALED = {Op::kMATMUL_T_BLOCK_SCALED, kArguments, kTypes, kRows, kChecks};

}  // namespace macaw::tosa
