#include <macaw/npu/element_type.hpp>

namespace macaw::npu {

DType element_type(const TensorBinding& binding) {
  if (binding.dtype) return *binding.dtype;
  switch (binding.element_size) {
    case 2: return DType::kINT16;
    case 4: return DType::kINT32;
    case 8: return DType::kINT64;
    default: return DType::kINT8;
  }
}

}  // namespace macaw::npu
