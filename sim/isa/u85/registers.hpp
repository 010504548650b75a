#pragma once
#include "sim/isa/feature_map_registers.hpp"

// Registers that U85 has and U55 and U65 have not, or not so; see block_registers.hpp.
namespace macaw::npu::fields::u85 {

template <class Io>
void broadcast(Io& io, FieldRef mode, Broadcast& b) {
  constexpr unsigned kH = 1, kW = 2, kC = 4, kScalar = 8;
  unsigned code = b.scalar ? kScalar : (b.h ? kH : 0) | (b.w ? kW : 0) | (b.c ? kC : 0);
  io.code(mode, code);
  b = {(code & kH) != 0, (code & kW) != 0, (code & kC) != 0, code == kScalar};
}

template <class Io>
void ifm_details(Io& io, BlockOperation& op) {
  io.code(MACAW_REG_U85("IFM_PRECISION", "activation_storage"), op.ifm.storage);
  if (op.kind == OpKind::kElementwise)
    broadcast(io, MACAW_REG_U85("IFM_BROADCAST", "broadcast_mode"), op.ifm_broadcast);
}

template <class Io>
void ifm2_details(Io& io, BlockOperation& op) {
  io.code(MACAW_REG_U85("IFM2_PRECISION", "activation_storage"), op.ifm2.storage);
  if (op.kind == OpKind::kElementwise && !is_unary(op.elementwise))
    broadcast(io, MACAW_REG_U85("IFM2_BROADCAST", "broadcast_mode"), op.ifm2_broadcast);
  if (op.kind != OpKind::kElementwise || (!Io::kReads && !op.ifm_broadcast.scalar && !op.ifm2_broadcast.scalar)) return;
  int scalar = static_cast<int>(op.scalar);
  io.signed_bits(MACAW_REG_U85("OP_SCALAR", "scalar"), scalar);
  op.scalar = scalar;
}

template <class Io>
void ofm_details(Io& io, BlockOperation& op) {
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
void scaling(Io& io, const ScalingFields& r, Scaling& s) {
  io.number(r.shift, s.shift);
  io.number(r.dbl, s.dbl);
  io.code(r.rounding, s.rounding, codes::kRoundingU85);
  io.number(r.scale, s.scale);
}

/// A scale stream has no rounding of its own: the OFM's is always there.
template <class Io>
void scaling(Io& io, BlockOperation& op) {
  if (Io::kReads || op.kind == OpKind::kElementwise) {
    scaling(io, MACAW_SCALING("IFM_SCALE"), op.ifm_scale);
    scaling(io, MACAW_SCALING("IFM2_SCALE"), op.ifm2_scale);
  }
  scaling(io, MACAW_SCALING("OFM_SCALE"), op.ofm_scale);
}
#undef MACAW_SCALING

template <class Io>
void activation(Io& io, Activation& a) {
  codes::FormFunction function{a.function, a.form};
  io.code(MACAW_REG_U85("ACTIVATION", "activation_function"), function, codes::kFunctionU85);
  io.number(MACAW_REG_U85("ACTIVATION", "table"), a.table);
  io.code(MACAW_REG_U85("ACTIVATION", "activation_clip_range"), a.clip, codes::kClipU85);
  a.function = function.first;
  a.form = function.second;
}

/// The accumulators. Reading leaves the depth of the micro-block, which the accelerator knows, at 0.
template <class Io>
void accumulators(Io& io, BlockOperation& op) {
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
void resize(Io& io, BlockOperation::Resize& r) {
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

}  // namespace macaw::npu::fields::u85
