#pragma once
#include <macaw/npu/timed_simulator.hpp>

#include <vector>

namespace macaw::report {

/// Where nothing says which operators the operations are of: one that completes a tensor of the artifact (an output, a
/// variable, an input of an operator left to the CPU) is called by it, "'Identity'".
void name_by_tensors(std::vector<npu::OperationTiming>& operations, const npu::Artifact& artifact);

}  // namespace macaw::report
