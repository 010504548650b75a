#pragma once
#include <macaw/tensor.hpp>

#include <cstdint>

namespace macaw::tflite {

/// Every value of INT8, UINT8 or INT16, from the least on; `least` in place of lower ones.
[[nodiscard]] Tensor all_values(DType dtype, std::int64_t least);

}  // namespace macaw::tflite
