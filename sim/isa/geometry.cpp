#include "sim/isa/geometry.hpp"

namespace macaw::npu {

Hwc ofm_ublock(const BlockOperation& op, const Accelerator& accelerator) {
  return op.ublock == Hwc{} ? accelerator.ofm_ublock : op.ublock;
}

int ifm_block_depth(const IfmBlockUse& use) {
  if (use.family != Family::kU85) {
    if (use.ifm_bits >= 32) return 8;
    return use.part_kernel_first || use.ifm_bits == 16 ? 16 : 32;
  }
  if (use.part_kernel_first) return 16;
  const bool deep_ublock = use.macs <= 256 && use.ofm_ublock_depth == 16;
  if (use.ifm_bits == 32 || (deep_ublock && !use.sparse_weights)) return 32;
  return use.sparse_weights && use.ifm_bits == 8 ? 128 : 64;
}

int ifm_block_depth(const BlockOperation& op, const Accelerator& accelerator) {
  return ifm_block_depth({.family = accelerator.family,
                          .macs = accelerator.macs,
                          .ofm_ublock_depth = ofm_ublock(op, accelerator).c,
                          .ifm_bits = op.ifm.bits,
                          .part_kernel_first = op.kind == OpKind::kConv && op.kernel.part_kernel_first,
                          .sparse_weights = op.sparse_weights});
}

std::size_t internal_memory_bytes(const Accelerator& accelerator) {
  constexpr std::size_t kBankBytes = 1024;
  return accelerator.family == Family::kU85 ? static_cast<std::size_t>(accelerator.ram.lut)
                                            : static_cast<std::size_t>(accelerator.shram_banks) * kBankBytes;
}

}  // namespace macaw::npu
