#include "reference/tosa/op/declare.hpp"
#include "reference/tosa/op/tensor/adaptive_pooling.hpp"

namespace macaw::tosa::MAX_POOL2D_ADAPTIVE {
namespace {

constexpr Argument kArguments[] = {
    input("input").type("in_out_t").shape("[N,IH,IW,C]").rank(4),
    input("kernel").type("shape_t").shape("[2]").rank(1).compile_time_constant(),
    input("stride").type("shape_t").shape("[2]").rank(1).compile_time_constant(),
    input("pad").type("shape_t").shape("[4]").rank(1).compile_time_constant(),
    attribute("nan_mode").type("nan_propagation_mode_t"),
    output("output").type("in_out_t").shape("[N,OH,OW,C]").rank(4),
};
using V = ViewOf<kArguments>;
constexpr std::string_view kTypes[] = {"in_out_t"};

constexpr TypeRow kRows[] = {
    row({kINT8}).in(kProInt).since(1, 1).by(adaptive_kernel<Op::kMAX_POOL2D, V, kINT8>),
    row({kINT16}).in(kExtInt16).since(1, 1).by(adaptive_kernel<Op::kMAX_POOL2D, V, kINT16>),
    row({kFP8E4M3}).in(kExtFp8E4M3).since(1, 1).by(adaptive_kernel<Op::kMAX_POOL2D, V, kFP8E4M3>),
    row({kFP8E5M2}).in(kExtFp8E5M2).since(1, 1).by(adaptive_kernel<Op::kMAX_POOL2D, V, kFP8E5M2>),
    row({kFP16}).in(kProFp).since(1, 1).by(adaptive_kernel<Op::kMAX_POOL2D, V, kFP16>),
    row({kBF16}).in(kExtBf16).since(1, 1).by(adaptive_kernel<Op::kMAX_POOL2D, V, kBF16>),
    row({kFP32}).in(kProFp).since(1, 1).by(adaptive_kernel<Op::kMAX_POOL2D, V, kFP32>),
};

}  // namespace

extern constexpr Definition kDefinition{
    .op = Op::kMAX_POOL2D_ADAPTIVE,
    .arguments = kArguments,
    .type_variables = kTypes,
    .rows = kRows,
    .checks = kAdaptiveRules<V, kMaxPoolRules<V>>,
    .shapes = adaptive_shapes<V>,
    .shapes_need = kPoolParameters<V>,
};

}  // namespace macaw::tosa::MAX_POOL2D_ADAPTIVE
