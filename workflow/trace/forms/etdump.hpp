#pragma once
#include <macaw/npu/run.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace macaw::trace {

/// ExecuTorch's event dump (pytorch/executorch devtools/etdump/etdump_schema_flatcc.fbs) of a run of a .pte, times in
/// cycles: under the names of its runtime each instruction of the program and the whole run, and each operation as an
/// event of the delegate. Kernels of the CPU take no time. kUsage if the run was of another
/// format.
[[nodiscard]] Result<std::vector<std::byte>> etdump(const npu::RunRecord& run, const std::string& file);

}  // namespace macaw::trace
