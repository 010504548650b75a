#pragma once
#include "reference/op/def.hpp"

/// Types of the data nodes (tosa.xml, CONST and IDENTITY) that both have.
#define MACAW_DATA_NODE_ROWS(kernel)                                                            \
  {{DType::kBOOL}, kInProIntOrFp, 0, kernel}, {{DType::kINT4}, kInExtInt4, 0, kernel},          \
      {{DType::kINT8}, kInProIntOrFp, 0, kernel}, {{DType::kINT16}, kInProIntOrFp, 0, kernel},  \
      {{DType::kINT32}, kInProIntOrFp, 0, kernel}, {{DType::kINT48}, kInExtInt16, 0, kernel},   \
      {{DType::kINT64}, kInExtInt64, 1, kernel}, {{DType::kFP8E4M3}, kInExtFp8E4M3, 0, kernel}, \
      {{DType::kFP8E5M2}, kInExtFp8E5M2, 0, kernel}, {{DType::kFP16}, kInProFp, 0, kernel},     \
      {{DType::kBF16}, kInExtBf16, 0, kernel}, {                                                \
    {DType::kFP32}, kInProFp, 0, kernel                                                         \
  }
