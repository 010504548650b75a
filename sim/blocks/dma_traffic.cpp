#include "sim/blocks/generation.hpp"

namespace macaw::npu {
namespace blocks {

DmaCounts dma_counts(const DmaOperation& op) {
  return {op.dimensions >= 2 ? op.size0 : 1U, op.dimensions >= 3 ? op.size1 : 1U};
}

Transfer dma_side(const DmaOperation& op, Channel channel, int region, std::uint64_t address, std::int64_t row_stride,
                  std::int64_t plane_stride) {
  Transfer transfer = contiguous(channel, region, address, op.len);
  const auto n = dma_counts(op);
  transfer.levels[0] = {n.rows, row_stride};
  transfer.levels[1] = {n.planes, plane_stride};
  return transfer;
}

}  // namespace blocks

DmaTraffic dma_traffic(const DmaOperation& op) { return blocks::generation(op.family).dma_traffic(op); }

}  // namespace macaw::npu
