#pragma once
#include <macaw/npu/artifact.hpp>

namespace macaw::npu {

/// The type of a tensor's elements as the artifact states it. Raw npz files state none: signed integers of the element
/// size, or INT8 for a size that no type has.
[[nodiscard]] DType element_type(const TensorBinding& binding);

}  // namespace macaw::npu
