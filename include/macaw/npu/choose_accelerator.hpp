#pragma once
#include <string>

#include <macaw/npu/artifact.hpp>

namespace macaw::npu {

/// The accelerator to run an artifact on: the one the artifact says, or the one named where it says none. An unknown
/// name is kUsage; a name that contradicts the artifact, or none at all, is kMismatch.
[[nodiscard]] Result<const Accelerator*> choose_accelerator(const Artifact& artifact, const std::string& name);

}  // namespace macaw::npu
