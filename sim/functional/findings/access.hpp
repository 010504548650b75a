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

/// The exact bytes that one operand of an operation reads or writes, without the gaps that strides leave.
struct Access {
  std::string_view what;  ///< "IFM"
  bool write = false;
  int memory = -1;           ///< of the artifact, or kInternalMemory
  std::uint64_t origin = 0;  ///< offset in the memory of the region of `runs`
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

/// Accesses of an operation, without those of operands with a problem.
struct Accesses {
  std::vector<Access> list;
  std::vector<AccessProblem> problems;
};

/// Location of the regions of a running stream.
struct RegionLayout {
  std::span<const Memory> memories;
  std::span<const RegionBinding> regions;
  std::uint64_t internal_bytes = 0;
};

[[nodiscard]] Accesses accesses(const BlockOperation& operation, const Accelerator& accelerator,
                                const RegionLayout& layout);
/// An indexed side counts with every row that IDX_MAX allows and its region contains.
[[nodiscard]] Accesses accesses(const DmaOperation& operation, const RegionLayout& layout);

/// Returns the elements of a box of a feature map, without the padding lanes of the last NHCWB16 brick.
[[nodiscard]] std::vector<Transfer> exact_runs(const FeatureMap& map, const Box& box);
/// Returns the lowest and highest byte of transfers; nullopt if one is below 0 or above 2^63.
[[nodiscard]] std::optional<ByteRange> bounds_of(std::span<const Transfer> transfers);

/// Returns a byte that both accesses touch, as the run that begins there; nullopt if there is none.
[[nodiscard]] std::optional<MemoryRange> overlap(const Access& a, const Access& b);

}  // namespace macaw::npu
