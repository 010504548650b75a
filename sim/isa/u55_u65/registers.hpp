#pragma once
#include "sim/isa/feature_map_registers.hpp"

namespace macaw::npu::fields {

/// Registers of U55 and U65 that U85 does not have, or has in a different form; see block_registers.hpp.
struct U55U65 {
  template <class Io>
  static void ifm_details(Io& io, BlockOperation& op) {
    if (op.kind == OpKind::kElementwise) io.code(MACAW_REG_U65("IFM_PRECISION", "scale_mode"), op.operand_scaling);
    io.code(MACAW_REG_U65("IFM_PRECISION", "round_mode"), op.ifm_scale.rounding, codes::kRoundingU65);
    if constexpr (Io::kReads) op.ifm2_scale.rounding = op.ifm_scale.rounding;
  }

  template <class Io>
  static void ifm2_details(Io& io, BlockOperation& op) {
    if (op.kind != OpKind::kElementwise || is_unary(op.elementwise)) return;
    Broadcast& b = op.ifm2_broadcast;
    io.number(MACAW_REG_U65("IFM2_BROADCAST", "broadcast_h"), b.h);
    io.number(MACAW_REG_U65("IFM2_BROADCAST", "broadcast_w"), b.w);
    io.number(MACAW_REG_U65("IFM2_BROADCAST", "broadcast_c"), b.c);
    io.number(MACAW_REG_U65("IFM2_BROADCAST", "broadcast_constant"), b.scalar);
    io.code(MACAW_REG_U65("IFM2_BROADCAST", "operand_order"), op.operands_swapped);
    if (!Io::kReads && !b.scalar) return;
    int scalar = static_cast<int>(op.scalar);
    io.low_bits(MACAW_REG_U65("IFM2_SCALAR", "scalar"), scalar);
    op.scalar = op.ifm2.is_signed ? sign_extend(static_cast<std::uint32_t>(scalar), 16) : scalar;
  }

  template <class Io>
  static void ofm_details(Io& io, BlockOperation& op) {
    io.code(MACAW_REG_U65("OFM_PRECISION", "round_mode"), op.ofm_scale.rounding, codes::kRoundingU65);
  }

  template <class Io>
  static void scaling(Io& io, BlockOperation& op) {
    if (Io::kReads || op.kind == OpKind::kElementwise) {
      io.number(MACAW_REG_U65("OPA_SCALE", "shift"), op.ifm_scale.shift);
      io.number(MACAW_REG_U65("OPA_SCALE", "scale"), op.ifm_scale.scale);
      io.number(MACAW_REG_U65("OPB_SCALE", "scale"), op.ifm2_scale.scale);
    }
    if (Io::kReads || !op.scale_per_channel) {
      io.number(MACAW_REG_U65("OFM_SCALE", "shift"), op.ofm_scale.shift);
      io.number(MACAW_REG_U65("OFM_SCALE", "scale"), op.ofm_scale.scale);
    }
  }

  template <class Io>
  static void activation(Io& io, Activation& a) {
    codes::TableFunction function{a.function, a.function == ActivationFunction::kTable ? a.table : 0};
    io.code(MACAW_REG_U65("ACTIVATION", "activation_function"), function, codes::kFunctionU65);
    io.code(MACAW_REG_U65("ACTIVATION", "activation_clip_range"), a.clip, codes::kClipU65);
    a.function = function.first;
    a.table = function.second;
  }

  /// Shared RAM and accumulators.
  template <class Io>
  static void buffers(Io& io, BlockOperation& op) {
    io.low_bits(MACAW_REG_U65("IFM_IB_END", "ib_end"), op.ib_end);
    io.low_bits(MACAW_REG_U65("AB_START", "ab_start"), op.ab_start);
    if (op.kind == OpKind::kElementwise) io.low_bits(MACAW_REG_U65("IFM2_IB_START", "ib_start"), op.ib2_start);
    io.code(MACAW_REG_U65("ACC_FORMAT", "acc_format"), op.acc_format, codes::kAccFormatU65);
  }

  /// Each of the two cores reads its own stream.
  [[nodiscard]] static int weight_streams(const BlockOperation& op, const Accelerator&) { return op.dual_core ? 2 : 1; }
  template <class Io>
  static void weight_format(Io&, BlockOperation&) {}
  template <class Io>
  static void convolution(Io&, BlockOperation&) {}
  template <class Io>
  static void resize(Io&, BlockOperation::Resize&) {}

  template <class Io>
  static void dma_source(Io&, DmaOperation&) {}
  template <class Io>
  static void dma_destination(Io&, DmaOperation&) {}
  /// Only U65 has jobs of more than one dimension.
  template <class Io>
  static void dma_strides(Io& io, DmaOperation& op) {
    if (op.family != Family::kU65 || op.dimensions < 2) return;
    io.signed_address(MACAW_REG_U65("DMA0_SKIP0", "addr"), op.skip0);
    io.signed_address(MACAW_REG_U65("DMA0_SKIP1", "addr"), op.skip1);
  }
};

}  // namespace macaw::npu::fields
