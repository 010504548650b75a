#pragma once
#include <macaw/npu/timed_simulator.hpp>

#include <vector>

#include "workflow/compare/program.hpp"

namespace macaw::compare {

/// Fills OperationTiming::source, kind and shape from a graph: the operators whose tensors the commands wrote when both
/// ran on `inputs` (in the program's order), recognised by contents. A command whose result is not a tensor of the
/// graph is assigned to the next one whose result is; names from a debug database are kept. `host`: computes operators
/// of the CPU. Errors: those of running the two.
[[nodiscard]] Result<void> name_operations(std::vector<npu::OperationTiming>& operations, const Program& program,
                                           const npu::Artifact& artifact, const npu::Accelerator& accelerator,
                                           const std::vector<Tensor>& inputs);

}  // namespace macaw::compare
