#pragma once
#include "reference/tosa/op/declare.hpp"

/// Types of the operators that only move elements: tosa.xml, data-layout operators. `int16` is the support of the int16
/// row, the only one that differs between them.
// clang-format off
#define MACAW_DATA_LAYOUT_ROWS(kernel, int16)                                                                       \
  row({kBOOL}).in(kProIntOrFp).by(kernel), row({kINT8}).in(kProInt).by(kernel), row({kINT16}).in(int16).by(kernel), \
      row({kINT32}).in(kProInt).by(kernel), row({kINT64}).in(kExtInt64).since(1, 1).by(kernel),                     \
      row({kFP8E4M3}).in(kExtFp8E4M3).by(kernel), row({kFP8E5M2}).in(kExtFp8E5M2).by(kernel),                       \
      row({kFP16}).in(kProFp).by(kernel), row({kBF16}).in(kExtBf16).by(kernel), row({kFP32}).in(kProFp).by(kernel)
// clang-format on
