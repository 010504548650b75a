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
// clang-format on

}  // namespace macaw::tosa
