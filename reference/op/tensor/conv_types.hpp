#pragma once
#include "reference/op/def.hpp"

namespace macaw::tosa {

/// Type variables of CONV2D, CONV3D and TRANSPOSE_CONV2D.
inline constexpr std::string_view kConvolutionTypes[] = {"in_t",  "weight_t", "out_t",
                                                         "acc_t", "in_zp_t",  "weight_zp_t"};

/// Their integer rows (tosa.xml).
// clang-format off
#define MACAW_INTEGER_CONVOLUTION_ROWS(narrow, wide)                                                                   \
  {{DType::kINT8, DType::kINT8, DType::kINT32, DType::kINT32, DType::kINT8, DType::kINT8}, kInProInt, 0, narrow},      \
  {{DType::kINT8, DType::kINT4, DType::kINT32, DType::kINT32, DType::kINT8, DType::kINT4}, kInExtInt4, 0, narrow},     \
  {{DType::kINT16, DType::kINT8, DType::kINT48, DType::kINT48, DType::kINT16, DType::kINT8}, kInExtInt16, 0, wide}
/// Their floating-point rows; FP16 outputs of 8-bit inputs are 1.0, FP32 ones new in 1.1.
#define MACAW_FLOAT_CONVOLUTION_ROWS(kernel)                                                                           \
  {{DType::kFP8E4M3, DType::kFP8E4M3, DType::kFP16, DType::kFP16, DType::kFP8E4M3, DType::kFP8E4M3},                   \
   kInExtFp8E4M3, 0, kernel},                                                                                          \
  {{DType::kFP8E5M2, DType::kFP8E5M2, DType::kFP16, DType::kFP16, DType::kFP8E5M2, DType::kFP8E5M2},                   \
   kInExtFp8E5M2, 0, kernel},                                                                                          \
  {{DType::kFP8E4M3, DType::kFP8E4M3, DType::kFP32, DType::kFP32, DType::kFP8E4M3, DType::kFP8E4M3},                   \
   kInExtFp8E4M3, 1, kernel},                                                                                          \
  {{DType::kFP8E5M2, DType::kFP8E5M2, DType::kFP32, DType::kFP32, DType::kFP8E5M2, DType::kFP8E5M2},                   \
   kInExtFp8E5M2, 1, kernel},                                                                                          \
  {{DType::kFP16, DType::kFP16, DType::kFP16, DType::kFP16, DType::kFP16, DType::kFP16}, kInProFp, 0, kernel},         \
  {{DType::kFP16, DType::kFP16, DType::kFP16, DType::kFP32, DType::kFP16, DType::kFP16}, kInProFp, 0, kernel},         \
  {{DType::kBF16, DType::kBF16, DType::kBF16, DType::kFP32, DType::kBF16, DType::kBF16}, kInExtBf16, 0, kernel},       \
  {{DType::kFP32, DType::kFP32, DType::kFP32, DType::kFP32, DType::kFP32, DType::kFP32}, kInProFp, 0, kernel}
// clang-format on

}  // namespace macaw::tosa
