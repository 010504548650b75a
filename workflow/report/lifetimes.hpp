#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include <macaw/npu/run.hpp>

namespace macaw::report {

/// Bytes of a region that hold something from `start` to `end`: from the operation that writes them to the last one
/// that reads them before they are overwritten, or to the end of the run if nothing does either. What was not written
/// by the command stream (inputs, constants) is there from the stream's start.
struct Lifetime {
  int region = 0;
  std::uint64_t first = 0, last = 0;  ///< bytes, ends included
  std::uint64_t start = 0, end = 0;   ///< cycles
  std::size_t operation = 0;          ///< that wrote it, or read it first
  bool written = false;

  [[nodiscard]] std::uint64_t bytes() const { return last - first + 1; }
};

/// In the order of their ends. `run` says which operation accesses which bytes of a region from the first to the last:
/// gaps within such a range count as accessed.
[[nodiscard]] std::vector<Lifetime> lifetimes_of(const npu::RunRecord& run);

/// Contents of the memory on one side of the NPU over time.
struct MemoryUse {
  std::array<std::uint64_t, 8> extent{};   ///< by region: one more than the highest byte that is accessed
  std::uint64_t reach = 0;                 ///< sum of `extent`: what must be there for the network to run
  std::uint64_t peak = 0, peak_cycle = 0;  ///< most bytes that hold something at once, and when first
  std::vector<Lifetime> at_peak;           ///< largest first
  std::vector<std::pair<std::uint64_t, std::uint64_t>> curve;  ///< cycle, bytes from then on
};
[[nodiscard]] MemoryUse memory_use(const npu::RunRecord& run, const std::vector<Lifetime>& lifetimes, int side);

}  // namespace macaw::report
