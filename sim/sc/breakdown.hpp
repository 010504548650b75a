#pragma once
#include <macaw/npu/report.hpp>

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

}  // namespace macaw::npu::sc
