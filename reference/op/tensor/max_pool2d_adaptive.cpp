#include "reference/op/tensor/adaptive_pooling.hpp"

namespace macaw::tosa {
namespace {

constexpr Argument kArguments[] = {
    {Category::kInput, "input", "in_out_t", "[N,IH,IW,C]", 4, 4},
    {Category::kInput, "kernel", "shape_t", "[2]", 1, 1, false, true},
    {Category::kInput, "stride", "shape_t", "[2]", 1, 1, false, true},
    {Category::kInput, "pad", "shape_t", "[4]", 1, 1, false, true},
    {Category::kAttribute, "nan_mode", "nan_propagation_mode_t"},
    {Category::kOutput, "output", "in_out_t", "[N,OH,OW,C]", 4, 4},
};
constexpr std::string_view kTypes[] = {"in_out_t"};

constexpr TypeRow kRows[] = {
    {{DType::kINT8}, kInProInt, 1, adaptive_kernel<Op::kMAX_POOL2D, 1, DType::kINT8>},
    {{DType::kINT16}, kInExtInt16, 1, adaptive_kernel<Op::kMAX_POOL2D, 1, DType::kINT16>},
    {{DType::kFP8E4M3}, kInExtFp8E4M3, 1, adaptive_kernel<Op::kMAX_POOL2D, 1, DType::kFP8E4M3>},
    {{DType::kFP8E5M2}, kInExtFp8E5M2, 1, adaptive_kernel<Op::kMAX_POOL2D, 1, DType::kFP8E5M2>},
    {{DType::kFP16}, kInProFp, 1, adaptive_kernel<Op::kMAX_POOL2D, 1, DType::kFP16>},
    {{DType::kBF16}, kInExtBf16, 1, adaptive_kernel<Op::kMAX_POOL2D, 1, DType::kBF16>},
    {{DType::kFP32}, kInProFp, 1, adaptive_kernel<Op::kMAX_POOL2D, 1, DType::kFP32>},
};

}  // namespace

extern constexpr Definition kMAX_POOL2D_ADAPTIVE{
    .op = Op::kMAX_POOL2D_ADAPTIVE,
    .arguments = kArguments,
    .type_variables = kTypes,
    .rows = kRows,
    .checks = kAdaptiveRules<1, kMaxPoolRules>,
    .shapes = adaptive_shapes<1>,
    .shapes_need = kPoolParameters<1>,
};

}  // namespace macaw::tosa
