#include "reference/op/tensor/adaptive_pooling.hpp"

namespace macaw::tosa {
namespace {

constexpr Argument kArguments[] = {
    {Category::kInput, "input", "in_out_t", "[N,IH,IW,C]", 4, 4},
    {Category::kInput, "input_zp", "in_out_t", "[1]", 1, 1, false, true},
    {Category::kInput, "output_zp", "in_out_t", "[1]", 1, 1, false, true},
    {Category::kInput, "kernel", "shape_t", "[2]", 1, 1, false, true},
    {Category::kInput, "stride", "shape_t", "[2]", 1, 1, false, true},
    {Category::kInput, "pad", "shape_t", "[4]", 1, 1, false, true},
    {Category::kAttribute, "acc_type", "acc_type_t"},
    {Category::kOutput, "output", "in_out_t", "[N,OH,OW,C]", 4, 4},
};
constexpr std::string_view kTypes[] = {"in_out_t", "acc_t"};

constexpr TypeRow kRows[] = {
    {{DType::kINT8, DType::kINT32}, kInProInt, 1, adaptive_kernel<Op::kAVG_POOL2D, 3, DType::kINT8, DType::kINT32>},
    {{DType::kINT16, DType::kINT32}, kInExtInt16, 1, adaptive_kernel<Op::kAVG_POOL2D, 3, DType::kINT16, DType::kINT32>},
    {{DType::kFP8E4M3, DType::kFP16},
     kInExtFp8E4M3,
     1,
     adaptive_kernel<Op::kAVG_POOL2D, 3, DType::kFP8E4M3, DType::kFP16>},
    {{DType::kFP8E5M2, DType::kFP16},
     kInExtFp8E5M2,
     1,
     adaptive_kernel<Op::kAVG_POOL2D, 3, DType::kFP8E5M2, DType::kFP16>},
    {{DType::kFP16, DType::kFP16}, kInProFp, 1, adaptive_kernel<Op::kAVG_POOL2D, 3, DType::kFP16, DType::kFP16>},
    {{DType::kFP16, DType::kFP32}, kInProFp, 1, adaptive_kernel<Op::kAVG_POOL2D, 3, DType::kFP16, DType::kFP32>},
    {{DType::kBF16, DType::kFP32}, kInExtBf16, 1, adaptive_kernel<Op::kAVG_POOL2D, 3, DType::kBF16, DType::kFP32>},
    {{DType::kFP32, DType::kFP32}, kInProFp, 1, adaptive_kernel<Op::kAVG_POOL2D, 3, DType::kFP32, DType::kFP32>},
};

}  // namespace

extern constexpr Definition kAVG_POOL2D_ADAPTIVE{
    .op = Op::kAVG_POOL2D_ADAPTIVE,
    .arguments = kArguments,
    .type_variables = kTypes,
    .rows = kRows,
    .checks = kAdaptiveRules<3, kAvgPoolRules>,
    .shapes = adaptive_shapes<3>,
    .shapes_need = kPoolParameters<3>,
};

}  // namespace macaw::tosa
