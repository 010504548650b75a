#pragma once
#include <macaw/npu/artifact.hpp>
#include <macaw/npu/finding.hpp>

#include "sim/blocks/box.hpp"
#include "sim/blocks/transfer.hpp"
#include "sim/datapath/feature_map.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace macaw::npu {

/// Memory of an Access that lies inside the NPU: shared RAM, or LUT RAM on U85.
inline constexpr int kInternalMemory = -2;

inline constexpr std::string_view kDmaSource = "DMA source";

/// Bytes that one operand of an operation reads or writes, exactly: gaps that strides leave are not among them.
struct Access {
  std::string_view what;  ///< "IFM"
  bool write = false;
  int memory = -1;           ///< of the artifact, or kInternalMemory
  std::uint64_t origin = 0;  ///< where the region of `runs` begins in the memory
  ByteRange bounds;          ///< in the memory
  std::vector<Transfer> runs;

  [[nodiscard]] bool contiguous() const { return runs.size() == 1 && runs[0].runs() == 1; }
  /// Calls fn(run in the memory) until it returns false.
  template <class Fn>
  void for_each(Fn&& fn) const {
    for (const auto& transfer : runs)
      for (std::uint64_t i = 0; i < transfer.runs(); ++i) {
        const std::uint64_t first = origin + transfer.run_address(i);
        if (!fn(ByteRange{first, first + transfer.run})) return;
      }
  }
};

/// An operand that does not fit its region.
struct AccessProblem {
  FindingKind kind{};
  std::string message;
  MemoryRange range;
};

/// Accesses of an operation. An operand with a problem is not among the accesses.
struct Accesses {
  std::vector<Access> list;
  std::vector<AccessProblem> problems;
};

/// Where the regions of a running stream lie.
struct RegionLayout {
  std::span<const Memory> memories;
  std::span<const RegionBinding> regions;
  std::uint64_t internal_bytes = 0;
};

[[nodiscard]] Accesses accesses(const BlockOperation& operation, const Accelerator& accelerator,
                                const RegionLayout& layout);
/// A side that is addressed by indices counts with every row that IDX_MAX allows and its region has.
[[nodiscard]] Accesses accesses(const DmaOperation& operation, const RegionLayout& layout);

/// The elements of a box of a feature map, without the lanes that pad the last brick of NHCWB16.
[[nodiscard]] std::vector<Transfer> exact_runs(const FeatureMap& map, const Box& box);
/// Lowest and highest byte of transfers; nothing if one is below 0 or above 2^63.
[[nodiscard]] std::optional<ByteRange> bounds_of(std::span<const Transfer> transfers);

/// A byte that both accesses touch, as the run that begins there; nothing if there is none.
[[nodiscard]] std::optional<MemoryRange> overlap(const Access& a, const Access& b);

}  // namespace macaw::npu
