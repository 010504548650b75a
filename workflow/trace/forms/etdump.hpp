#pragma once
#include <macaw/npu/run.hpp>

#include <macaw/tensor.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace macaw::trace {

/// ExecuTorch's event dump (pytorch/executorch devtools/etdump/etdump_schema_flatcc.fbs) of a run of a .pte, times in
/// cycles: under the names of its runtime each instruction of the program and the whole run, and each operation as an
/// event of the delegate. Kernels of the CPU take no time. kUsage if the run was of another
/// format.
[[nodiscard]] Result<std::vector<std::byte>> etdump(const npu::RunRecord& run, const std::string& file);

/// The result of an operation of the NPU, of an operator of the CPU, or an output of the program.
struct StepTensor {
  std::size_t step = 0;                  ///< of the artifact; SIZE_MAX: an output of the program
  std::optional<std::uint32_t> command;  ///< of the NPU
  Tensor value;
};

/// The events, and the bytes of the tensors, which ExecuTorch keeps in a file of their own (the debug buffer).
struct EventDump {
  std::vector<std::byte> events, tensors;
};

/// The same with a debug event for each tensor, in their order: results of the NPU under the identifier of their
/// operation, those of the CPU and of the delegate under the number of their instruction. Tensors of element types that
/// ExecuTorch does not have are left out.
[[nodiscard]] Result<EventDump> etdump(const npu::RunRecord& run, const std::string& file,
                                       std::span<const StepTensor> tensors);

}  // namespace macaw::trace
