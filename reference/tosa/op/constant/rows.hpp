#pragma once
#include "reference/tosa/op/declare.hpp"

/// Types of the data nodes (tosa.xml, CONST and IDENTITY) that both have.
// clang-format off
#define MACAW_DATA_NODE_ROWS(kernel)                                                                  \
  row({kBOOL}).in(kProIntOrFp).by(kernel), row({kINT4}).in(kExtInt4).by(kernel),                      \
      row({kINT8}).in(kProIntOrFp).by(kernel), row({kINT16}).in(kProIntOrFp).by(kernel),              \
      row({kINT32}).in(kProIntOrFp).by(kernel), row({kINT48}).in(kExtInt16).by(kernel),               \
      row({kINT64}).in(kExtInt64).since(1, 1).by(kernel), row({kFP8E4M3}).in(kExtFp8E4M3).by(kernel), \
      row({kFP8E5M2}).in(kExtFp8E5M2).by(kernel), row({kFP16}).in(kProFp).by(kernel),                 \
      row({kBF16}).in(kExtBf16).by(kernel), row({kFP32}).in(kProFp).by(kernel)
// clang-format on
