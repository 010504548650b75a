#include "sim/isa/snapshot.hpp"

#include "sim/isa/generation.hpp"

#include <algorithm>

namespace macaw::npu {
namespace {

void imply_window(BlockOperation& op) {
  const int divisor = op.upscale == Upscale::kNone ? 1 : 2;
  // Padding may cover the whole window (part of a decomposed transposed convolution): then nothing is read.
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

// Sets the extents that no register holds (u55_u65 3.3).
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
  isa::generation(op.family).read(in, op, accelerator);
  check_custom_dma(in, op);
  imply_extents(op);
  if (in.error()) return tl::unexpected(*in.error());
  return op;
}

Result<DmaOperation> dma_operation(const RegisterFile& registers, const Accelerator& accelerator,
                                   const Command& command) {
  RegisterReader in(registers, command);
  DmaOperation op;
  op.family = accelerator.family;
  isa::generation(op.family).read(in, op);
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
