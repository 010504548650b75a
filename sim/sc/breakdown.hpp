#pragma once
#include <macaw/npu/report.hpp>

#include "sim/sc/activity.hpp"
#include "sim/sc/program.hpp"

namespace macaw::npu::sc {

struct BreakdownOptions {
  std::size_t step = 0;    ///< index of the command stream in Artifact::steps
  Cycles offset;           ///< added to all times
  bool movements = false;  ///< fill OperationTiming::macs and movements
};

/// Appends what a simulated program spent on each of its operations.
void append_breakdown(std::vector<OperationTiming>& operations, const Program& program, const CoreConfig& config,
                      const BreakdownOptions& options);

/// Appends when the units worked that have anything recorded. `offset` is added to all times.
void append_activity(std::vector<UnitActivity>& activity, const std::vector<Activity*>& units, std::size_t stream_step,
                     Cycles offset);

}  // namespace macaw::npu::sc
