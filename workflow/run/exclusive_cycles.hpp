#pragma once
#include <macaw/npu/run.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace macaw::run {

/// When an operation was in progress.
struct Interval {
  std::uint64_t start = 0, end = 0;
  bool is_dma = false;
};

/// Every cycle of a run of `total` cycles once: it belongs to the oldest block operation in progress, else to the
/// oldest DMA job in progress (a DMA job beside a block operation is hidden by it), else to what starts next. The sum
/// of all is `total`, unless there are no operations. `operations` are in the order of their issue.
[[nodiscard]] std::vector<npu::ExclusiveCycles> exclusive_cycles(std::span<const Interval> operations,
                                                                 std::uint64_t total);

/// Fills what a record says beyond a TimedResult: the exclusive cycles of its operations, and the order of their units.
void complete(npu::RunRecord& record);

}  // namespace macaw::run
