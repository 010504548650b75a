#pragma once
#include <span>

#include <macaw/npu/artifact.hpp>

namespace macaw::npu {

/// Adds variables for data in `memories` that operators of the CPU read before an input or an operator has written it:
/// state that a network keeps from run to run although its file does not list it.
[[nodiscard]] Result<void> add_state(Artifact& artifact, std::span<const int> memories);

}  // namespace macaw::npu
