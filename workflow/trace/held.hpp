#pragma once
#include <cstdint>
#include <span>
#include <vector>

namespace macaw::trace {

/// When an operation was in progress.
struct Interval {
  std::uint64_t start = 0, end = 0;
  bool is_dma = false;
};

/// The share of an operation in the length of a run.
struct Held {
  std::uint64_t working = 0;  ///< in progress, and nothing before it was
  std::uint64_t waiting = 0;  ///< nothing was in progress, and it came next; after the last operation: its own

  [[nodiscard]] std::uint64_t cycles() const { return working + waiting; }
};

/// Every cycle of a run of `total` cycles once: it belongs to the oldest block operation in progress, else to the
/// oldest DMA job in progress (a DMA job beside a block operation is hidden by it), else to what starts next. The sum
/// of all is `total`, unless there are no operations. `operations` are in the order of their issue.
[[nodiscard]] std::vector<Held> held_cycles(std::span<const Interval> operations, std::uint64_t total);

}  // namespace macaw::trace
