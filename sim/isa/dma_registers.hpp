#pragma once
#include "sim/isa/register_reader.hpp"

// The registers of a DMA job, described once for both directions; see block_registers.hpp.
namespace macaw::npu::fields {

template <class Io>
void dma_u85(Io& io, DmaOperation& op) {
  if (Io::kReads || op.dimensions > 1) {
    io.signed_address(MACAW_REG_U85("DMA0_SRC_STRIDE0", "addr"), op.src_stride0);
    io.signed_address(MACAW_REG_U85("DMA0_DST_STRIDE0", "addr"), op.dst_stride0);
  }
  if (Io::kReads || op.dimensions > 2) {
    io.signed_address(MACAW_REG_U85("DMA0_SRC_STRIDE1", "addr"), op.src_stride1);
    io.signed_address(MACAW_REG_U85("DMA0_DST_STRIDE1", "addr"), op.dst_stride1);
  }
  if (!Io::kReads && !op.src_indexed && !op.dst_indexed) return;
  io.number(MACAW_REG_U85("DMA0_IDX_REGION", "region"), op.idx_region);
  io.number(MACAW_REG_U85("DMA0_IDX", "addr"), op.idx);
  io.number(MACAW_REG_U85("DMA0_IDX_MAX", "idx_max"), op.idx_max);
  if (Io::kReads || op.dimensions > 2) io.signed_address(MACAW_REG_U85("DMA0_IDX_SKIP1", "addr"), op.idx_skip1);
}

template <class Io>
void dma(Io& io, DmaOperation& op) {
  const bool u85 = op.family == Family::kU85;
  int more_dimensions = op.dimensions - 1;
  io.number(MACAW_REG_U65("DMA0_SRC_REGION", "region"), op.src_region);
  io.code(MACAW_REG_U65("DMA0_SRC_REGION", "region_mode"), op.src_internal);
  io.code(MACAW_REG_U65("DMA0_SRC_REGION", "stride_mode"), more_dimensions);
  if (u85) io.code(MACAW_REG_U85("DMA0_SRC_REGION", "idx_mode"), op.src_indexed);
  op.dimensions = more_dimensions + 1;
  io.number(MACAW_REG_U65("DMA0_DST_REGION", "region"), op.dst_region);
  io.code(MACAW_REG_U65("DMA0_DST_REGION", "region_mode"), op.dst_internal);
  if (u85) io.code(MACAW_REG_U85("DMA0_DST_REGION", "idx_mode"), op.dst_indexed);
  io.number(MACAW_REG_U65("DMA0_SRC", "addr"), op.src);
  io.number(MACAW_REG_U65("DMA0_DST", "addr"), op.dst);
  io.number(MACAW_REG_U65("DMA0_LEN", "addr"), op.len);
  if (op.dimensions > 1) io.number(MACAW_REG_U65("DMA0_SIZE0", "size"), op.size0);
  if (op.dimensions > 2) io.number(MACAW_REG_U65("DMA0_SIZE1", "size"), op.size1);
  if (op.family == Family::kU65 && op.dimensions > 1) {
    io.signed_address(MACAW_REG_U65("DMA0_SKIP0", "addr"), op.skip0);
    io.signed_address(MACAW_REG_U65("DMA0_SKIP1", "addr"), op.skip1);
  }
  if (u85) dma_u85(io, op);
}

}  // namespace macaw::npu::fields
