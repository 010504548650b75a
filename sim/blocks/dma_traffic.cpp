#include "sim/blocks/walk.hpp"

namespace macaw::npu {
namespace {

constexpr std::uint64_t kIndexBytes = 4;

/// Rows and planes of a DMA job: SIZE0 and SIZE1 count only in 2-D and 3-D mode.
struct Counts {
  std::uint64_t rows, planes;
};
Counts counts(const DmaOperation& op) {
  return {op.dimensions >= 2 ? op.size0 : 1U, op.dimensions >= 3 ? op.size1 : 1U};
}

Transfer side(const DmaOperation& op, Channel channel, int region, std::uint64_t address, std::int64_t row_stride,
              std::int64_t plane_stride) {
  Transfer transfer = contiguous(channel, region, address, op.len);
  const auto n = counts(op);
  transfer.levels[0] = {n.rows, row_stride};
  transfer.levels[1] = {n.planes, plane_stride};
  return transfer;
}

}  // namespace

// Rules: u55_u65 6.5, u85 6.5. Vela only emits 1-D jobs on U55/U65; 2-D and 3-D follow these rules, not measured.
DmaTraffic dma_traffic(const DmaOperation& op) {
  DmaTraffic traffic;
  const auto n = counts(op);
  const auto length = static_cast<std::int64_t>(op.len);
  if (op.family == Family::kU85) {
    if (!op.src_internal)
      traffic.reads.push_back(side(op, Channel::kReadMem2Mem, op.src_region, op.src, op.src_stride0, op.src_stride1));
    if (!op.dst_internal)
      traffic.writes.push_back(side(op, Channel::kWriteMem2Mem, op.dst_region, op.dst, op.dst_stride0, op.dst_stride1));
    if (op.src_indexed || op.dst_indexed) {
      Transfer indices = contiguous(Channel::kReadMem2MemIndex, op.idx_region, op.idx, n.rows * kIndexBytes);
      indices.levels[0] = {n.planes, static_cast<std::int64_t>(n.rows * kIndexBytes) + op.idx_skip1};
      traffic.indices.push_back(indices);
    }
    return traffic;
  }
  // U55/U65: the source is contiguous over all rows, the destination skips.
  if (!op.src_internal)
    traffic.reads.push_back(contiguous(Channel::kReadMem2Mem, op.src_region, op.src, op.len * n.rows * n.planes));
  if (!op.dst_internal) {
    const auto rows = static_cast<std::int64_t>(n.rows);
    traffic.writes.push_back(side(op, Channel::kWriteMem2Mem, op.dst_region, op.dst, length + op.skip0,
                                  rows * (length + op.skip0) + op.skip1));
  }
  return traffic;
}

}  // namespace macaw::npu
