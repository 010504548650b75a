#pragma once
#include "sim/blocks/rules.hpp"
#include "sim/blocks/walk.hpp"

namespace macaw::npu::blocks {

/// The behaviour of a generation of NPUs (families that share a command set) in the block walk. Implemented in u55_u65/
/// and u85/.
class Generation {
 public:
  /// Returns the rules of this generation; walk_rules() adds those of all generations.
  [[nodiscard]] virtual WalkRules rules(const BlockOperation& op, const Accelerator& accelerator) const = 0;
  /// See mac_work.hpp.
  [[nodiscard]] virtual UblockWork ublock_work(const BlockOperation& op, const SubKernel& piece,
                                               int channels) const = 0;
  [[nodiscard]] virtual int tap_group(const BlockOperation& op) const = 0;
  /// Returns the number of IFM channels that the MAC array reads at once; fewer channels are padded to it.
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
