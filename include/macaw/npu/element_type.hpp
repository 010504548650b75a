#pragma once
#include <macaw/npu/artifact.hpp>

namespace macaw::npu {

/// The type of a tensor's elements: what the artifact says, and where it says none (raw npz) signed integers of their
/// size, INT8 for a size that no type has.
[[nodiscard]] DType element_type(const TensorBinding& binding);

}  // namespace macaw::npu
