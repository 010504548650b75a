#pragma once
#include <macaw/device.h>
#include <macaw/error.hpp>

#include <string>

namespace macaw::app::fvp {

/// Writes what the last job of an NPU spent to `folder`/job_N: report.json, as `macaw sim` leaves it, and report.html.
[[nodiscard]] Result<void> write_report(const std::string& folder, const std::string& npu, const macaw_device& device,
                                        unsigned job);

}  // namespace macaw::app::fvp
