#pragma once
#include "sim/isa/feature_map_registers.hpp"

// The registers of a block operation (u55_u65 2.3, 2.4, u85 2.3, 2.4), described once for both directions: with a
// RegisterReader as Io the members are filled from the register file, with a RegisterWriter the registers from the
// members. `Own` has the registers that differ between the generations: u55_u65/registers.hpp, u85/registers.hpp. The
// order is that of the commands that the compiler writes; fields of one register are consecutive. Code that tests
// `Io::kReads` reads registers that an operation does not use, but does not write them.
namespace macaw::npu::fields {

/// The kind of the operation and the other fields of its command.
template <class Own, class Io>
void own_fields(Io& io, BlockOperation& op) {
  switch (op.kind) {
    case OpKind::kConv: Own::convolution(io, op); return;
    case OpKind::kDepthwise: return;
    case OpKind::kPool: io.own_code(field_of(Family::kU85, "NPU_OP_POOL", "pooling_mode"), op.pool); return;
    case OpKind::kElementwise:
      io.own_code(field_of(Family::kU85, "NPU_OP_ELEMENTWISE", "elementwise_mode"), op.elementwise);
      return;
    case OpKind::kResize: io.own_code(field_of(Family::kU85, "NPU_OP_RESIZE", "resize_mode"), op.resize); return;
  }
}

template <class Own, class Io>
void ifm(Io& io, BlockOperation& op) {
  place(io, kIfm, op.ifm);
  io.low_bits(MACAW_REG_U65("IFM_DEPTH_M1", "depth_m1"), op.ifm.c, 1);
  element_type(io, kIfm, op.ifm);
  Own::ifm_details(io, op);
  io.code(MACAW_REG_U65("IFM_UPSCALE", "mode"), op.upscale);
}

template <class Own, class Io>
void ifm2(Io& io, BlockOperation& op) {
  place(io, kIfm2, op.ifm2);
  element_type(io, kIfm2, op.ifm2);
  Own::ifm2_details(io, op);
}

template <class Own, class Io>
void ofm(Io& io, BlockOperation& op) {
  place(io, kOfm, op.ofm);
  io.low_bits(MACAW_REG_U65("OFM_HEIGHT_M1", "height_m1"), op.ofm.h, 1);
  io.low_bits(MACAW_REG_U65("OFM_WIDTH_M1", "width_m1"), op.ofm.w, 1);
  io.low_bits(MACAW_REG_U65("OFM_DEPTH_M1", "depth_m1"), op.ofm.c, 1);
  element_type(io, kOfm, op.ofm);
  bool global = !op.scale_per_channel;
  io.code(MACAW_REG_U65("OFM_PRECISION", "scale_mode"), global);
  op.scale_per_channel = !global;
  Own::ofm_details(io, op);
}

/// A stride of 1 or more, whose bit 0 is separate from the higher bits.
template <class Io>
void stride(Io& io, FieldRef lsb, FieldRef msb, int& value) {
  int low = (value - 1) & 1, high = (value - 1) >> 1;
  io.number(lsb, low);
  io.number(msb, high);
  value = 1 + low + 2 * high;
}

template <class Io>
void dilation(Io& io, FieldRef ref, int& value) {
  int code = value - 1;
  io.code(ref, code);
  value = code + 1;
}

template <class Io>
void kernel(Io& io, Kernel& k) {
  constexpr int kWhole = 8, kDecomposed = 4;
  io.low_bits(MACAW_REG_U65("IFM_PAD_TOP", "pad"), k.pad_top);
  io.low_bits(MACAW_REG_U65("IFM_PAD_LEFT", "pad"), k.pad_left);
  io.low_bits(MACAW_REG_U65("IFM_PAD_BOTTOM", "pad"), k.pad_bottom);
  io.low_bits(MACAW_REG_U65("IFM_PAD_RIGHT", "pad"), k.pad_right);
  io.low_bits(MACAW_REG_U65("KERNEL_HEIGHT_M1", "height_m1"), k.height, 1);
  io.low_bits(MACAW_REG_U65("KERNEL_WIDTH_M1", "width_m1"), k.width, 1);
  stride(io, MACAW_REG_U65("KERNEL_STRIDE", "stride_x_lsb"), MACAW_REG_U65("KERNEL_STRIDE", "stride_x_msb"),
         k.stride_x);
  stride(io, MACAW_REG_U65("KERNEL_STRIDE", "stride_y_lsb"), MACAW_REG_U65("KERNEL_STRIDE", "stride_y_msb"),
         k.stride_y);
  dilation(io, MACAW_REG_U65("KERNEL_STRIDE", "dilation_x"), k.dilation_x);
  dilation(io, MACAW_REG_U65("KERNEL_STRIDE", "dilation_y"), k.dilation_y);
  io.code(MACAW_REG_U65("KERNEL_STRIDE", "weight_order"), k.part_kernel_first);
  bool decomposed = k.decomposition == kDecomposed;
  io.code(MACAW_REG_U65("KERNEL_STRIDE", "decomposition"), decomposed);
  k.decomposition = decomposed ? kDecomposed : kWhole;
}

struct StreamFields {
  FieldRef base, length;
};
inline constexpr StreamFields kWeights[] = {
    {MACAW_REG_U65("WEIGHT_BASE", "addr"), MACAW_REG_U65("WEIGHT_LENGTH", "length")},
    {MACAW_REG_U65("WEIGHT1_BASE", "addr"), MACAW_REG_U65("WEIGHT1_LENGTH", "length")},
    {MACAW_REG_U85("WEIGHT2_BASE", "addr"), MACAW_REG_U85("WEIGHT2_LENGTH", "length")},
    {MACAW_REG_U85("WEIGHT3_BASE", "addr"), MACAW_REG_U85("WEIGHT3_LENGTH", "length")}};
inline constexpr StreamFields kScales[] = {
    {MACAW_REG_U65("SCALE_BASE", "addr"), MACAW_REG_U65("SCALE_LENGTH", "length")},
    {MACAW_REG_U65("SCALE1_BASE", "addr"), MACAW_REG_U65("SCALE1_LENGTH", "length")}};

/// All streams of a kind are in one region.
template <class Io>
void streams(Io& io, FieldRef region, std::span<const StreamFields> fields, std::span<Stream> streams) {
  int number = streams[0].region;
  io.number(region, number);
  for (std::size_t i = 0; i < streams.size(); ++i) {
    streams[i].region = number;
    io.number(fields[i].base, streams[i].base);
    io.number(fields[i].length, streams[i].length);
  }
}

template <class Own, class Io>
void weights(Io& io, BlockOperation& op, const Accelerator& accelerator) {
  const int count = Own::weight_streams(op, accelerator);
  streams(io, MACAW_REG_U65("WEIGHT_REGION", "region"), kWeights,
          std::span(op.weights).first(static_cast<std::size_t>(count)));
  Own::weight_format(io, op);
}

template <class Io>
void scales(Io& io, BlockOperation& op) {
  streams(io, MACAW_REG_U65("SCALE_REGION", "region"), kScales, std::span(op.scales).first(op.dual_core ? 2 : 1));
}

/// Whether the scale stream of an operation is described. Only reading includes the stream of a pool that scales
/// nothing.
template <class Io>
bool names_scales(const BlockOperation& op) {
  if (!Io::kReads) return op.has_weights() || op.has_scales();
  return op.kind == OpKind::kConv || op.kind == OpKind::kDepthwise ||
         (op.kind == OpKind::kPool && op.scale_per_channel);
}

template <class Own, class Io>
void activation(Io& io, BlockOperation& op) {
  Own::activation(io, op.activation);
  io.number(MACAW_REG_U65("ACTIVATION_MIN", "clip_boundary"), op.activation.min);
  io.number(MACAW_REG_U65("ACTIVATION_MAX", "clip_boundary"), op.activation.max);
}

template <class Own, class Io>
void block(Io& io, BlockOperation& op) {
  io.low_bits(MACAW_REG_U85("OFM_BLK_HEIGHT_M1", "height_m1"), op.block.h, 1);
  io.low_bits(MACAW_REG_U85("OFM_BLK_WIDTH_M1", "width_m1"), op.block.w, 1);
  io.low_bits(MACAW_REG_U85("OFM_BLK_DEPTH_M1", "depth_m1"), op.block.c, 1);
  Own::buffers(io, op);
  io.number(MACAW_REG_U85("BLOCKDEP", "blockdep"), op.blockdep);
}

/// All registers. Family, kind and dual_core must be set before.
template <class Own, class Io>
void all(Io& io, BlockOperation& op, const Accelerator& accelerator) {
  own_fields<Own>(io, op);
  ifm<Own>(io, op);
  ofm<Own>(io, op);
  if (Io::kReads || op.has_ifm2()) ifm2<Own>(io, op);
  if (Io::kReads || op.kind != OpKind::kElementwise) kernel(io, op.kernel);
  if (op.has_weights()) weights<Own>(io, op, accelerator);
  if (names_scales<Io>(op)) scales(io, op);
  Own::scaling(io, op);
  activation<Own>(io, op);
  if (op.kind == OpKind::kResize) Own::resize(io, op.resize_step);
  block<Own>(io, op);
}

}  // namespace macaw::npu::fields
