#pragma once
#include "reference/tosa/op/declare.hpp"

/// Types of the variable operators (tosa.xml).
// clang-format off
#define MACAW_VARIABLE_ROWS(kernel)                                                                    \
  row({kINT8}).in(kProInt, kExtVariable).by(kernel), row({kFP16}).in(kProFp, kExtVariable).by(kernel), \
      row({kFP32}).in(kProFp, kExtVariable).by(kernel)
// clang-format on
