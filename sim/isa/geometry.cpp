#include "sim/isa/geometry.hpp"

#include "sim/isa/generation.hpp"

namespace macaw::npu {

Hwc ofm_ublock(const BlockOperation& op, const Accelerator& accelerator) {
  return op.ublock == Hwc{} ? accelerator.ofm_ublock : op.ublock;
}

int ifm_block_depth(const IfmBlockUse& use) { return isa::generation(use.family).ifm_block_depth(use); }

int ifm_block_depth(const BlockOperation& op, const Accelerator& accelerator) {
  return ifm_block_depth({.family = accelerator.family,
                          .macs = accelerator.macs,
                          .ofm_ublock_depth = ofm_ublock(op, accelerator).c,
                          .ifm_bits = op.ifm.bits,
                          .part_kernel_first = op.kind == OpKind::kConv && op.kernel.part_kernel_first,
                          .sparse_weights = op.sparse_weights});
}

std::size_t internal_memory_bytes(const Accelerator& accelerator) {
  return isa::generation(accelerator.family).internal_memory_bytes(accelerator);
}

}  // namespace macaw::npu
