#pragma once
#include <string>

#include <macaw/npu/artifact.hpp>

namespace macaw::npu {

/// The accelerator to run an artifact on: the one the artifact says, or the one named where it says none. For an
/// ExecuTorch program whose operators are all left to the CPU any does: ethos-u55-128. An unknown name is kUsage; a name
/// that contradicts the artifact, or none at all, is kMismatch.
[[nodiscard]] Result<const Accelerator*> choose_accelerator(const Artifact& artifact, const std::string& name);

}  // namespace macaw::npu
