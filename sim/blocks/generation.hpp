#pragma once
#include "sim/blocks/rules.hpp"
#include "sim/blocks/walk.hpp"

namespace macaw::npu::blocks {

/// The behaviour of a generation of NPUs, the families that share a command set, when an operation is walked.
/// Implemented in u55_u65/ and u85/.
class Generation {
 public:
  /// Rules of the walk; those of all generations are walk_rules()'s.
  [[nodiscard]] virtual WalkRules rules(const BlockOperation& op, const Accelerator& accelerator) const = 0;
  /// See mac_work.hpp.
  [[nodiscard]] virtual UblockWork ublock_work(const BlockOperation& op, const SubKernel& piece,
                                               int channels) const = 0;
  [[nodiscard]] virtual int tap_group(const BlockOperation& op) const = 0;
  /// IFM channels that the MAC array takes at once, which fewer channels are padded to.
  [[nodiscard]] virtual int input_granule(const BlockOperation& op) const = 0;
  /// See walk.hpp.
  [[nodiscard]] virtual DmaTraffic dma_traffic(const DmaOperation& op) const = 0;

 protected:
  ~Generation() = default;
};
[[nodiscard]] const Generation& generation(Family family);

namespace u55_u65 {
[[nodiscard]] const Generation& generation();
}
namespace u85 {
[[nodiscard]] const Generation& generation();
}

/// One side of a DMA job in its memory.
[[nodiscard]] Transfer dma_side(const DmaOperation& op, Channel channel, int region, std::uint64_t address,
                                std::int64_t row_stride, std::int64_t plane_stride);

/// Rows and planes of a DMA job: SIZE0 and SIZE1 count only in 2-D and 3-D mode.
struct DmaCounts {
  std::uint64_t rows, planes;
};
[[nodiscard]] DmaCounts dma_counts(const DmaOperation& op);

}  // namespace macaw::npu::blocks
