#pragma once
#include <string>
#include <vector>

#include <macaw/npu/run.hpp>

namespace macaw::trace {

/// Chrome's trace event format, which Perfetto and chrome://tracing open: every operation whole, those that overlap on
/// tracks of their own, and a track for each unit with the times at which it worked. Times in microseconds of the NPU's
/// clock.
[[nodiscard]] std::string perfetto(const npu::RunRecord& run);

/// Format that the virtual platform writes with --pmu-trace and ExecuTorch's Model Explorer overlay reads
/// (pytorch/executorch examples/arm/visualize.py): gzip of a Chrome trace, whose events of thread "qread" have the
/// cycle (ts) at which the front end reached a 32-bit word of the command stream (args.qread).
[[nodiscard]] std::vector<std::byte> pmu_trace(const npu::RunRecord& run);

/// The lines that ExecuTorch's runner prints (examples/arm/executor_runner/arm_perf_monitor.cpp).
[[nodiscard]] std::string pmu_lines(const npu::RunRecord& run);

}  // namespace macaw::trace
