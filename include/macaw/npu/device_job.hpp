#pragma once
#include <macaw/device.h>
#include <macaw/npu/timed_simulator.hpp>

#include <filesystem>
#include <string_view>

namespace macaw::npu {

/// Figures of a device's last job that finished or faulted: counters, cycles and operations; times count from the start
/// of the job. There are no values, and the memory mode has no name because registers do not state it. Empty before the
/// first job.
[[nodiscard]] TimedResult last_job(const ::macaw_device& device);

/// Implements macaw_device_report(): writes files for a job to `folder`, whose name is used as the network's name.
[[nodiscard]] Result<void> write_job_report(TimedResult job, std::string_view accelerator,
                                            const std::filesystem::path& folder);

}  // namespace macaw::npu
