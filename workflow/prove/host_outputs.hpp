#pragma once
#include <macaw/npu/simulator.hpp>

#include <vector>

namespace macaw::prove {

/// What an operator that a network leaves to the CPU wrote in a run.
struct HostOutput {
  std::size_t step = 0, output = 0;  ///< of Artifact::steps, of the operator
  Tensor tensor;
};

/// Errors: those of npu::run_functional().
[[nodiscard]] Result<std::vector<HostOutput>> host_outputs(const npu::Artifact& artifact,
                                                           const npu::Accelerator& accelerator,
                                                           const std::vector<npu::NamedTensor>& inputs);

}  // namespace macaw::prove
