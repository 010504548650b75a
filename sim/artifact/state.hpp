#pragma once
#include <span>

#include <macaw/npu/artifact.hpp>

namespace macaw::npu {

/// Makes variables of what operators of the CPU read in `memories` before an input or an operator has written it: the
/// state that a network keeps from run to run where its file does not list it.
[[nodiscard]] Result<void> add_state(Artifact& artifact, std::span<const int> memories);

}  // namespace macaw::npu
