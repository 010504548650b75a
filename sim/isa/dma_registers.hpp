#pragma once
#include "sim/isa/register_reader.hpp"

// The registers of a DMA job, described once for both directions; see block_registers.hpp.
namespace macaw::npu::fields {

template <class Own, class Io>
void dma(Io& io, DmaOperation& op) {
  int more_dimensions = op.dimensions - 1;
  io.number(MACAW_REG_U65("DMA0_SRC_REGION", "region"), op.src_region);
  io.code(MACAW_REG_U65("DMA0_SRC_REGION", "region_mode"), op.src_internal);
  io.code(MACAW_REG_U65("DMA0_SRC_REGION", "stride_mode"), more_dimensions);
  Own::dma_source(io, op);
  op.dimensions = more_dimensions + 1;
  io.number(MACAW_REG_U65("DMA0_DST_REGION", "region"), op.dst_region);
  io.code(MACAW_REG_U65("DMA0_DST_REGION", "region_mode"), op.dst_internal);
  Own::dma_destination(io, op);
  io.number(MACAW_REG_U65("DMA0_SRC", "addr"), op.src);
  io.number(MACAW_REG_U65("DMA0_DST", "addr"), op.dst);
  io.number(MACAW_REG_U65("DMA0_LEN", "addr"), op.len);
  if (op.dimensions > 1) io.number(MACAW_REG_U65("DMA0_SIZE0", "size"), op.size0);
  if (op.dimensions > 2) io.number(MACAW_REG_U65("DMA0_SIZE1", "size"), op.size1);
  Own::dma_strides(io, op);
}

}  // namespace macaw::npu::fields
