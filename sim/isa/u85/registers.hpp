#pragma once
#include "sim/isa/feature_map_registers.hpp"

namespace macaw::npu::fields {

/// Registers of U85 that U55 and U65 do not have, or have in a different form; see block_registers.hpp.
struct U85 {
  template <class Io>
  static void broadcast(Io& io, FieldRef mode, Broadcast& b) {
    constexpr unsigned kH = 1, kW = 2, kC = 4, kScalar = 8;
    unsigned code = b.scalar ? kScalar : (b.h ? kH : 0) | (b.w ? kW : 0) | (b.c ? kC : 0);
    io.code(mode, code);
    b = {(code & kH) != 0, (code & kW) != 0, (code & kC) != 0, code == kScalar};
  }

  template <class Io>
  static void ifm_details(Io& io, BlockOperation& op) {
    io.code(MACAW_REG_U85("IFM_PRECISION", "activation_storage"), op.ifm.storage);
    if (op.kind == OpKind::kElementwise)
      broadcast(io, MACAW_REG_U85("IFM_BROADCAST", "broadcast_mode"), op.ifm_broadcast);
  }

  template <class Io>
  static void ifm2_details(Io& io, BlockOperation& op) {
    io.code(MACAW_REG_U85("IFM2_PRECISION", "activation_storage"), op.ifm2.storage);
    if (op.kind == OpKind::kElementwise && !is_unary(op.elementwise))
      broadcast(io, MACAW_REG_U85("IFM2_BROADCAST", "broadcast_mode"), op.ifm2_broadcast);
    if (op.kind != OpKind::kElementwise || (!Io::kReads && !op.ifm_broadcast.scalar && !op.ifm2_broadcast.scalar))
      return;
    int scalar = static_cast<int>(op.scalar);
    io.signed_bits(MACAW_REG_U85("OP_SCALAR", "scalar"), scalar);
    op.scalar = scalar;
  }

  template <class Io>
  static void ofm_details(Io& io, BlockOperation& op) {
    io.code(MACAW_REG_U85("OFM_PRECISION", "activation_reverse"), op.reverse);
    io.code(MACAW_REG_U85("OFM_PRECISION", "activation_transpose"), op.transpose);
    io.code(MACAW_REG_U85("OFM_PRECISION", "activation_storage"), op.ofm.storage);
  }

  struct ScalingFields {
    FieldRef shift, dbl, rounding, scale;
  };
#define MACAW_SCALING(name)                                                                          \
  ScalingFields {                                                                                    \
    MACAW_REG_U85(name, "shift"), MACAW_REG_U85(name, "dbl_rnd"), MACAW_REG_U85(name, "round_mode"), \
        MACAW_REG_U85(name, "scale")                                                                 \
  }

  template <class Io>
  static void scaling(Io& io, const ScalingFields& r, Scaling& s) {
    io.number(r.shift, s.shift);
    io.number(r.dbl, s.dbl);
    io.code(r.rounding, s.rounding, codes::kRoundingU85);
    io.number(r.scale, s.scale);
  }

  /// A scale stream has no rounding of its own, so the rounding of the OFM is always read and written.
  template <class Io>
  static void scaling(Io& io, BlockOperation& op) {
    if (Io::kReads || op.kind == OpKind::kElementwise) {
      scaling(io, MACAW_SCALING("IFM_SCALE"), op.ifm_scale);
      scaling(io, MACAW_SCALING("IFM2_SCALE"), op.ifm2_scale);
    }
    scaling(io, MACAW_SCALING("OFM_SCALE"), op.ofm_scale);
  }
#undef MACAW_SCALING

  template <class Io>
  static void activation(Io& io, Activation& a) {
    codes::FormFunction function{a.function, a.form};
    io.code(MACAW_REG_U85("ACTIVATION", "activation_function"), function, codes::kFunctionU85);
    io.number(MACAW_REG_U85("ACTIVATION", "table"), a.table);
    io.code(MACAW_REG_U85("ACTIVATION", "activation_clip_range"), a.clip, codes::kClipU85);
    a.function = function.first;
    a.form = function.second;
  }

  /// The accumulators. Reading leaves the depth of the micro-block at 0, since it follows from the accelerator.
  template <class Io>
  static void buffers(Io& io, BlockOperation& op) {
    bool nothing = !op.acc_output;
    codes::UblockShape shape{op.ublock.h, op.ublock.w};
    io.code(MACAW_REG_U85("ACC_FORMAT", "acc_format"), op.acc_format, codes::kAccFormatU85);
    io.code(MACAW_REG_U85("ACC_FORMAT", "acc_input"), op.acc_input);
    io.code(MACAW_REG_U85("ACC_FORMAT", "acc_output"), nothing);
    io.code(MACAW_REG_U85("ACC_FORMAT", "microblock"), shape, codes::kUblock);
    op.acc_output = !nothing;
    if constexpr (Io::kReads) op.ublock = {shape.first, shape.second, 0};
  }

  template <class Io>
  static void resize(Io& io, BlockOperation::Resize& r) {
    io.number(MACAW_REG_U85("RESIZE_X_SCALE_N_M1", "resize_x_scale_n_m1"), r.n_x, 1);
    io.number(MACAW_REG_U85("RESIZE_Y_SCALE_N_M1", "resize_y_scale_n_m1"), r.n_y, 1);
    io.signed_bits(MACAW_REG_U85("RESIZE_X_OFFSET", "resize_x_offset"), r.offset_x);
    io.signed_bits(MACAW_REG_U85("RESIZE_Y_OFFSET", "resize_y_offset"), r.offset_y);
    io.number(MACAW_REG_U85("RESIZE_X", "one_step_int"), r.one_step_int_x);
    io.number(MACAW_REG_U85("RESIZE_X", "blk_step_int"), r.blk_step_int_x);
    io.number(MACAW_REG_U85("RESIZE_X", "one_step_mod"), r.one_step_mod_x);
    io.number(MACAW_REG_U85("RESIZE_X", "blk_step_mod"), r.blk_step_mod_x);
    io.number(MACAW_REG_U85("RESIZE_Y", "one_step_int"), r.one_step_int_y);
    io.number(MACAW_REG_U85("RESIZE_Y", "blk_step_int"), r.blk_step_int_y);
    io.number(MACAW_REG_U85("RESIZE_Y", "one_step_mod"), r.one_step_mod_y);
    io.number(MACAW_REG_U85("RESIZE_Y", "blk_step_mod"), r.blk_step_mod_y);
  }

  [[nodiscard]] static int weight_streams(const BlockOperation&, const Accelerator& accelerator) {
    return accelerator.weight_decoders;
  }
  template <class Io>
  static void weight_format(Io& io, BlockOperation& op) {
    io.code(MACAW_REG_U85("WEIGHT_FORMAT", "weight_format"), op.fast_weights);
    io.code(MACAW_REG_U85("WEIGHT_FORMAT", "weight_sparsity"), op.sparse_weights);
  }
  template <class Io>
  static void convolution(Io& io, BlockOperation& op) {
    io.own_number(field_of(Family::kU85, "NPU_OP_CONV", "weights_ifm2"), op.weights_from_ifm2);
  }

  template <class Io>
  static void dma_source(Io& io, DmaOperation& op) {
    io.code(MACAW_REG_U85("DMA0_SRC_REGION", "idx_mode"), op.src_indexed);
  }
  template <class Io>
  static void dma_destination(Io& io, DmaOperation& op) {
    io.code(MACAW_REG_U85("DMA0_DST_REGION", "idx_mode"), op.dst_indexed);
  }
  template <class Io>
  static void dma_strides(Io& io, DmaOperation& op) {
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
};

}  // namespace macaw::npu::fields
