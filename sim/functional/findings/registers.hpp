#pragma once
#include <macaw/npu/finding.hpp>

#include <macaw/npu/operation.hpp>

#include <functional>
#include <string>

namespace macaw::npu {

using RegisterProblem = std::function<void(FindingKind, std::string message)>;

/// Reports combinations of registers that the NPU does not accept, and misaligned bases, strides and lengths. None of
/// them stops execution.
void check_registers(const BlockOperation& operation, const Accelerator& accelerator, const RegisterProblem& problem);
void check_registers(const DmaOperation& operation, const RegisterProblem& problem);

}  // namespace macaw::npu
