#include "reference/tosa/op/declare.hpp"
#include "reference/tosa/op/tensor/adaptive_pooling.hpp"

namespace macaw::tosa::AVG_POOL2D_ADAPTIVE {
namespace {

constexpr Argument kArguments[] = {
    input("input").type("in_out_t").shape("[N,IH,IW,C]").rank(4),
    input("input_zp").type("in_out_t").shape("[1]").rank(1).compile_time_constant(),
    input("output_zp").type("in_out_t").shape("[1]").rank(1).compile_time_constant(),
    input("kernel").type("shape_t").shape("[2]").rank(1).compile_time_constant(),
    input("stride").type("shape_t").shape("[2]").rank(1).compile_time_constant(),
    input("pad").type("shape_t").shape("[4]").rank(1).compile_time_constant(),
    attribute("acc_type").type("acc_type_t"),
    output("output").type("in_out_t").shape("[N,OH,OW,C]").rank(4),
};
using V = ViewOf<kArguments>;
constexpr std::string_view kTypes[] = {"in_out_t", "acc_t"};

constexpr TypeRow kRows[] = {
    row({kINT8, kINT32}).in(kProInt).since(1, 1).by(adaptive_kernel<Op::kAVG_POOL2D, V, kINT8, kINT32>),
    row({kINT16, kINT32}).in(kExtInt16).since(1, 1).by(adaptive_kernel<Op::kAVG_POOL2D, V, kINT16, kINT32>),
    row({kFP8E4M3, kFP16}).in(kExtFp8E4M3).since(1, 1).by(adaptive_kernel<Op::kAVG_POOL2D, V, kFP8E4M3, kFP16>),
    row({kFP8E5M2, kFP16}).in(kExtFp8E5M2).since(1, 1).by(adaptive_kernel<Op::kAVG_POOL2D, V, kFP8E5M2, kFP16>),
    row({kFP16, kFP16}).in(kProFp).since(1, 1).by(adaptive_kernel<Op::kAVG_POOL2D, V, kFP16, kFP16>),
    row({kFP16, kFP32}).in(kProFp).since(1, 1).by(adaptive_kernel<Op::kAVG_POOL2D, V, kFP16, kFP32>),
    row({kBF16, kFP32}).in(kExtBf16).since(1, 1).by(adaptive_kernel<Op::kAVG_POOL2D, V, kBF16, kFP32>),
    row({kFP32, kFP32}).in(kProFp).since(1, 1).by(adaptive_kernel<Op::kAVG_POOL2D, V, kFP32, kFP32>),
};

}  // namespace

extern constexpr Definition kDefinition{
    .op = Op::kAVG_POOL2D_ADAPTIVE,
    .arguments = kArguments,
    .type_variables = kTypes,
    .rows = kRows,
    .checks = kAdaptiveRules<V, kAvgPoolRules<V>>,
    .shapes = adaptive_shapes<V>,
    .shapes_need = kPoolParameters<V>,
};

}  // namespace macaw::tosa::AVG_POOL2D_ADAPTIVE
