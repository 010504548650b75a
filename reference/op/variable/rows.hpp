#pragma once
#include "reference/op/def.hpp"

/// Types of the variable operators (tosa.xml).
#define MACAW_VARIABLE_ROWS(kernel)                                                  \
  {{DType::kINT8}, all_of(Profile::kProInt, Profile::kExtVariable), 0, kernel},      \
      {{DType::kFP16}, all_of(Profile::kProFp, Profile::kExtVariable), 0, kernel}, { \
    {DType::kFP32}, all_of(Profile::kProFp, Profile::kExtVariable), 0, kernel        \
  }
