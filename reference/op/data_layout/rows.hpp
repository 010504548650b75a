#pragma once
#include "reference/op/def.hpp"

/// Types of the operators that only move elements: tosa.xml, data-layout operators. `int16` is the support of the int16
/// row, the only one that differs between them.
#define MACAW_DATA_LAYOUT_ROWS(kernel, int16)                                                   \
  {{DType::kBOOL}, kInProIntOrFp, 0, kernel}, {{DType::kINT8}, kInProInt, 0, kernel},           \
      {{DType::kINT16}, int16, 0, kernel}, {{DType::kINT32}, kInProInt, 0, kernel},             \
      {{DType::kINT64}, kInExtInt64, 1, kernel}, {{DType::kFP8E4M3}, kInExtFp8E4M3, 0, kernel}, \
      {{DType::kFP8E5M2}, kInExtFp8E5M2, 0, kernel}, {{DType::kFP16}, kInProFp, 0, kernel},     \
      {{DType::kBF16}, kInExtBf16, 0, kernel}, {                                                \
    {DType::kFP32}, kInProFp, 0, kernel                                                         \
  }
