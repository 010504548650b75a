#pragma once
#include <macaw/device.h>
#include <macaw/npu/timed_simulator.hpp>

#include <filesystem>
#include <string_view>

namespace macaw::npu {

/// Figures of the last job of a device that finished or faulted: counters, cycles and operations, times from
/// the start of the job. No values; the memory mode has no name, as registers tell it. Empty before the first job.
[[nodiscard]] TimedResult last_job(const ::macaw_device& device);

/// macaw_device_report() of a job: files in `folder`, whose name stands for that of the network.
[[nodiscard]] Result<void> write_job_report(TimedResult job, std::string_view accelerator,
                                            const std::filesystem::path& folder);

}  // namespace macaw::npu
