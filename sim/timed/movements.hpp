#pragma once
#include <macaw/npu/timed_simulator.hpp>

#include <macaw/npu/operation.hpp>
#include "sim/blocks/walk.hpp"
#include "sim/config/params.hpp"

namespace macaw::npu::timed {

/// Fills the multiply-accumulates and movements of an operation from the totals of its walk.
void add_movements(OperationTiming& timing, const BlockOperation& op, const WalkTotals& totals,
                   const Accelerator& accelerator);
/// The same for an operation that can be walked.
void add_movements(OperationTiming& timing, const BlockOperation& op, const Accelerator& accelerator);
/// Fills OperationTiming::details except the output unit's cost and the weights; the multiply-accumulates must be
/// filled.
void add_details(OperationTiming& timing, const BlockOperation& op, const WalkTotals& totals,
                 const Accelerator& accelerator);
/// Adds the output unit's cost to existing details.
void add_output_cost(OperationTiming& timing, const BlockOperation& op, const Params& params);
/// Fills the movements of a DMA job.
void add_movements(OperationTiming& timing, const DmaTraffic& traffic, const Accelerator& accelerator);

}  // namespace macaw::npu::timed
