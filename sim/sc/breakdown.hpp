#pragma once
#include <macaw/npu/report.hpp>

#include "sim/sc/program.hpp"

namespace macaw::npu::sc {

/// Appends what a simulated program spent on each of its operations. `offset` is added to all times.
void append_breakdown(std::vector<OperationTiming>& operations, const Program& program, const CoreConfig& config,
                      std::size_t stream_step, Cycles offset);

}  // namespace macaw::npu::sc
