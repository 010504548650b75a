#include "sim/isa/snapshot.hpp"

#include "sim/isa/block_registers.hpp"
#include "sim/isa/dma_registers.hpp"

#include <algorithm>

namespace macaw::npu {
namespace {

void imply_window(BlockOperation& op) {
  const int divisor = op.upscale == Upscale::kNone ? 1 : 2;
  // Padding may cover the whole window (part of a decomposed transposed convolution): nothing is read then.
  op.ifm.h = (std::max(op.upscaled_h(), 0) + divisor - 1) / divisor;
  op.ifm.w = (std::max(op.upscaled_w(), 0) + divisor - 1) / divisor;
  const bool all_channels = op.kind == OpKind::kConv || (op.kind == OpKind::kPool && op.pool == PoolMode::kReduceSum);
  if (!all_channels) op.ifm.c = op.ofm.c;
  if (op.weights_from_ifm2) {
    op.ifm2.h = 1;
    op.ifm2.w = op.ofm.c;
    op.ifm2.c = op.ifm.c;
  } else if (op.acc_input == AccInput::kIfm2) {
    op.ifm2.h = op.ofm.h;
    op.ifm2.w = op.ofm.w;
    op.ifm2.c = op.ofm.c;
  }
}

// Extents that no register holds (u55_u65 3.3).
void imply_extents(BlockOperation& op) {
  const FeatureMap& ofm = op.ofm;
  const auto broadcast = [&](FeatureMap& fm, const Broadcast& b) {
    fm.h = b.h || b.scalar ? 1 : ofm.h;
    fm.w = b.w || b.scalar ? 1 : ofm.w;
    fm.c = b.c || b.scalar ? 1 : ofm.c;
  };
  switch (op.kind) {
    case OpKind::kElementwise:
      broadcast(op.ifm, op.ifm_broadcast);
      broadcast(op.ifm2, op.ifm2_broadcast);
      return;
    case OpKind::kResize:
      op.ifm.h = op.kernel.height;
      op.ifm.w = op.kernel.width;
      op.ifm.c = ofm.c;
      return;
    case OpKind::kConv:
    case OpKind::kDepthwise:
    case OpKind::kPool: return imply_window(op);
  }
}

void check_custom_dma(RegisterReader& in, Family family, FieldRef select) {
  if (!traits(family).has_custom_dma && in.raw(select) != 0) in.fault(select, "the configuration has no custom DMA");
}
#define MACAW_CUSTOM_DMA(name) field_of(Family::kU55, "NPU_SET_" name, "custom_dma_cs")

void check_custom_dma(RegisterReader& in, const BlockOperation& op) {
  check_custom_dma(in, op.family, MACAW_CUSTOM_DMA("IFM_REGION"));
  check_custom_dma(in, op.family, MACAW_CUSTOM_DMA("OFM_REGION"));
  if (!op.has_weights()) return;
  check_custom_dma(in, op.family, MACAW_CUSTOM_DMA("WEIGHT_REGION"));
  check_custom_dma(in, op.family, MACAW_CUSTOM_DMA("SCALE_REGION"));
}

void read_cores(RegisterReader& in, const Accelerator& accelerator, BlockOperation& op) {
  if (op.family != Family::kU65) return;
  constexpr FieldRef parallel = MACAW_REG_U65("PARALLEL_MODE", "parallel_mode");
  in.code(parallel, op.dual_core);
  if (op.dual_core && accelerator.cores < 2) in.fault(parallel, "the configuration has one core");
}

/// The micro-block that the registers leave to the accelerator, or of which they say the shape only.
void settle_ublock(RegisterReader& in, const Accelerator& accelerator, BlockOperation& op) {
  if (op.family != Family::kU85) {
    // 256 MACs per core turn their 2x2 micro-block into a row for one-row convolutions (Vela
    // ethosu/vela/npu_performance.py).
    op.ublock = accelerator.ofm_ublock;
    if (op.ublock.h == 2 && op.kind == OpKind::kConv && op.ofm.h == 1 && op.ofm.w % 2 == 0 && op.kernel.height == 1)
      op.ublock = {1, 4, op.ublock.c};
    return;
  }
  const Hwc shape = op.ublock;
  const auto found =
      std::ranges::find_if(accelerator.ofm_ublocks, [&](const Hwc& u) { return u.h == shape.h && u.w == shape.w; });
  op.ublock = found == accelerator.ofm_ublocks.end() ? accelerator.ofm_ublock : *found;
  if (found == accelerator.ofm_ublocks.end())
    in.fault(MACAW_REG_U85("ACC_FORMAT", "microblock"),
             fmt::format("{} has no {}x{} micro-block", accelerator.name, shape.h, shape.w));
}

OpKind kind_of(RegisterReader& in, const Command& command) {
  const auto is = [&](std::string_view name) { return command.row->name == name; };
  if (is("NPU_OP_CONV")) return OpKind::kConv;
  if (is("NPU_OP_DEPTHWISE")) return OpKind::kDepthwise;
  if (is("NPU_OP_POOL")) return OpKind::kPool;
  if (is("NPU_OP_ELEMENTWISE")) return OpKind::kElementwise;
  if (!is("NPU_OP_RESIZE")) in.fault("not a block operation");
  return OpKind::kResize;
}

}  // namespace

Result<BlockOperation> block_operation(const RegisterFile& registers, const Accelerator& accelerator,
                                       const Command& command) {
  RegisterReader in(registers, command);
  BlockOperation op;
  op.family = accelerator.family;
  op.kind = kind_of(in, command);
  read_cores(in, accelerator, op);
  fields::all(in, op, accelerator);
  check_custom_dma(in, op);
  settle_ublock(in, accelerator, op);
  imply_extents(op);
  if (in.error()) return tl::unexpected(*in.error());
  return op;
}

Result<DmaOperation> dma_operation(const RegisterFile& registers, const Accelerator& accelerator,
                                   const Command& command) {
  RegisterReader in(registers, command);
  DmaOperation op;
  op.family = accelerator.family;
  fields::dma(in, op);
  check_custom_dma(in, op.family, MACAW_CUSTOM_DMA("DMA0_SRC_REGION"));
  check_custom_dma(in, op.family, MACAW_CUSTOM_DMA("DMA0_DST_REGION"));
  const auto check_size = [&](FieldRef ref, std::uint64_t size) {
    if (size == 0) in.fault(ref, "the transfer is empty");
  };
  check_size(MACAW_REG_U65("DMA0_LEN", "addr"), op.len);
  check_size(MACAW_REG_U65("DMA0_SIZE0", "size"), op.size0);
  check_size(MACAW_REG_U65("DMA0_SIZE1", "size"), op.size1);
  if (in.error()) return tl::unexpected(*in.error());
  return op;
}

}  // namespace macaw::npu
