#pragma once
#include <string>

#include <macaw/npu/artifact.hpp>

namespace macaw::npu {

/// The accelerator to run an artifact on: the one that the artifact states, else the one named. An ExecuTorch program
/// whose operators are all left to the CPU runs on any: ethos-u55-128. Errors: kUsage for an unknown name; kMismatch
/// for a name that contradicts the artifact, or if neither states one.
[[nodiscard]] Result<const Accelerator*> choose_accelerator(const Artifact& artifact, const std::string& name);

}  // namespace macaw::npu
