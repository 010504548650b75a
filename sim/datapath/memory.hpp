#pragma once
#include <macaw/error.hpp>

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace macaw::npu {

struct CoreState;  // sim/datapath/core_state.hpp

/// Bytes [first, last) of a region; empty if first == last.
struct ByteRange {
  std::uint64_t first = 0, last = 0;
};

/// Called before an operation reads or writes bytes of a region, so that they can be transferred there first.
class RegionAccess {
 public:
  virtual ~RegionAccess() = default;
  virtual void before(int region, const ByteRange& range) = 0;
};

/// Memory that one region register addresses. An unbound region is empty.
struct RegionView {
  std::span<std::uint8_t> bytes;
  bool bound = false;
  bool writable = false;
};

/// Everything that a block operation or DMA job can access: the eight regions and the memory inside the NPU (shared RAM
/// on U55/U65, LUT RAM and the state of the core on U85).
struct MemoryMap {
  std::array<RegionView, 8> regions;
  std::span<std::uint8_t> internal;
  CoreState* core = nullptr;       ///< U85 only; without it chaining and kept accumulators are faults
  RegionAccess* access = nullptr;  ///< may be null
};

/// Calls the map's RegionAccess, if it has one.
void announce(const MemoryMap& memory, int region, const ByteRange& range);

/// The bytes [base, base + length) of a region; `what` names the access in the error ("weight stream").
[[nodiscard]] Result<std::span<const std::uint8_t>> readable(const MemoryMap& memory, int region, std::uint64_t base,
                                                             std::uint64_t length, std::string_view what);

/// The region itself, for accesses whose range is checked and announced elsewhere; an error if it is unbound, or if it
/// is read-only and `write` is set.
[[nodiscard]] Result<std::span<std::uint8_t>> bound_region(const MemoryMap& memory, int region, bool write,
                                                           std::string_view what);

}  // namespace macaw::npu
