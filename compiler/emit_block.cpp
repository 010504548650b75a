#include "compiler/emit_block.hpp"

#include <bit>
#include <string>

// The registers of a block operation (u55_u65 2.3, 2.4, u85 2.3, 2.4).
namespace macaw::npu {
namespace {

std::uint64_t precision_code(int bits) {
  return static_cast<std::uint64_t>(std::countr_zero(static_cast<unsigned>(bits / 8)));
}
std::uint64_t code(auto enumerator) { return static_cast<std::uint64_t>(enumerator); }
std::uint64_t register16(std::int64_t value) { return static_cast<std::uint64_t>(value) & 0xFFFF; }

bool is_u85(const BlockOperation& op) { return op.family == Family::kU85; }

/// Round modes (u55_u65 5.2). U85's operands have the first two only.
std::uint64_t round_code(const BlockOperation& op, Rounding rounding) {
  if (!is_u85(op)) return rounding == Rounding::kDoubleSymmetric ? 0 : rounding == Rounding::kTruncateToZero ? 1 : 2;
  switch (rounding) {
    case Rounding::kDoubleSymmetric: return 0;
    case Rounding::kNatural: return 1;
    case Rounding::kDoubleAsymmetric: return 2;
    case Rounding::kSymmetric: return 3;
    case Rounding::kTruncateToZero: return 4;
    case Rounding::kTruncateToLower: return 5;
  }
  return 0;
}

/// Strides are written as wide as the register is.
std::uint64_t stride(const BlockOperation& op, std::int64_t value) {
  return static_cast<std::uint64_t>(value) & (op.family == Family::kU55 ? 0xFFFFFFFFu : (std::uint64_t{1} << 40) - 1);
}

/// Registers that IFM, IFM2 and OFM have alike, all but the precision.
void emit_map(CommandWriter& out, const BlockOperation& op, const std::string& prefix, const FeatureMap& map) {
  out.set(prefix + "_REGION", {{"region", static_cast<std::uint64_t>(map.region)}});
  for (std::size_t i = 0; i < map.base.size(); ++i) out.set(prefix + "_BASE" + std::to_string(i), map.base[i]);
  out.set(prefix + "_HEIGHT0_M1", register16(map.height0 - 1));
  out.set(prefix + "_HEIGHT1_M1", register16(map.height1 - 1));
  out.set(prefix + "_WIDTH0_M1", register16(map.width0 - 1));
  out.set(prefix + "_STRIDE_Y", stride(op, map.stride_y));
  out.set(prefix + "_STRIDE_X", stride(op, map.stride_x));
  out.set(prefix + "_STRIDE_C", stride(op, map.stride_c));
  out.set(prefix + "_ZERO_POINT", register16(map.zero_point));
}

void emit_broadcast(CommandWriter& out, const std::string& name, const Broadcast& b) {
  const unsigned mask = b.scalar ? 8u : (b.h ? 1u : 0u) | (b.w ? 2u : 0u) | (b.c ? 4u : 0u);
  out.set(name, mask);
}

void emit_ifm(CommandWriter& out, const BlockOperation& op) {
  emit_map(out, op, "IFM", op.ifm);
  out.set("IFM_DEPTH_M1", register16(op.ifm.c - 1));
  if (is_u85(op)) {
    out.set("IFM_PRECISION", {{"activation_type", op.ifm.is_signed},
                              {"activation_precision", precision_code(op.ifm.bits)},
                              {"activation_format", code(op.ifm.layout)},
                              {"activation_storage", code(op.ifm.storage)}});
    if (op.kind == OpKind::kElementwise) emit_broadcast(out, "IFM_BROADCAST", op.ifm_broadcast);
  } else {
    out.set("IFM_PRECISION", {{"activation_type", op.ifm.is_signed},
                              {"activation_precision", precision_code(op.ifm.bits)},
                              {"activation_format", code(op.ifm.layout)},
                              {"scale_mode", code(op.operand_scaling)},
                              {"round_mode", round_code(op, op.ifm_scale.rounding)}});
  }
  out.set("IFM_UPSCALE", code(op.upscale));
}

void emit_ifm2(CommandWriter& out, const BlockOperation& op) {
  emit_map(out, op, "IFM2", op.ifm2);
  if (is_u85(op)) {
    out.set("IFM2_PRECISION", {{"activation_type", op.ifm2.is_signed},
                               {"activation_precision", precision_code(op.ifm2.bits)},
                               {"activation_format", code(op.ifm2.layout)},
                               {"activation_storage", code(op.ifm2.storage)}});
    if (op.kind == OpKind::kElementwise) emit_broadcast(out, "IFM2_BROADCAST", op.ifm2_broadcast);
    return;
  }
  out.set("IFM2_PRECISION", {{"activation_type", op.ifm2.is_signed},
                             {"activation_precision", precision_code(op.ifm2.bits)},
                             {"activation_format", code(op.ifm2.layout)}});
  out.set("IFM2_BROADCAST", {{"broadcast_h", op.ifm2_broadcast.h},
                             {"broadcast_w", op.ifm2_broadcast.w},
                             {"broadcast_c", op.ifm2_broadcast.c},
                             {"broadcast_constant", op.ifm2_broadcast.scalar},
                             {"operand_order", op.operands_swapped}});
}

void emit_ofm(CommandWriter& out, const BlockOperation& op) {
  emit_map(out, op, "OFM", op.ofm);
  out.set("OFM_HEIGHT_M1", register16(op.ofm.h - 1));
  out.set("OFM_WIDTH_M1", register16(op.ofm.w - 1));
  out.set("OFM_DEPTH_M1", register16(op.ofm.c - 1));
  const auto scale_mode = op.scale_per_channel ? 0u : 1u;
  if (is_u85(op)) {
    out.set("OFM_PRECISION", {{"activation_type", op.ofm.is_signed},
                              {"activation_precision", precision_code(op.ofm.bits)},
                              {"activation_format", code(op.ofm.layout)},
                              {"scale_mode", scale_mode},
                              {"activation_reverse", static_cast<std::uint64_t>(op.reverse)},
                              {"activation_transpose", static_cast<std::uint64_t>(op.transpose)},
                              {"activation_storage", code(op.ofm.storage)}});
  } else {
    out.set("OFM_PRECISION", {{"activation_type", op.ofm.is_signed},
                              {"activation_precision", precision_code(op.ofm.bits)},
                              {"activation_format", code(op.ofm.layout)},
                              {"scale_mode", scale_mode},
                              {"round_mode", round_code(op, op.ofm_scale.rounding)}});
  }
}

void emit_kernel(CommandWriter& out, const Kernel& k) {
  out.set("IFM_PAD_TOP", register16(k.pad_top));
  out.set("IFM_PAD_LEFT", register16(k.pad_left));
  out.set("IFM_PAD_BOTTOM", register16(k.pad_bottom));
  out.set("IFM_PAD_RIGHT", register16(k.pad_right));
  out.set("KERNEL_HEIGHT_M1", register16(k.height - 1));
  out.set("KERNEL_WIDTH_M1", register16(k.width - 1));
  const auto x = static_cast<std::uint64_t>(k.stride_x - 1), y = static_cast<std::uint64_t>(k.stride_y - 1);
  out.set("KERNEL_STRIDE", {{"stride_x_lsb", x & 1},
                            {"stride_y_lsb", y & 1},
                            {"weight_order", k.part_kernel_first},
                            {"dilation_x", static_cast<std::uint64_t>(k.dilation_x - 1)},
                            {"dilation_y", static_cast<std::uint64_t>(k.dilation_y - 1)},
                            {"decomposition", k.decomposition == 4},
                            {"stride_x_msb", x >> 1},
                            {"stride_y_msb", y >> 1}});
}

void emit_streams(CommandWriter& out, const BlockOperation& op, const Accelerator& accelerator) {
  if (op.has_weights()) {
    out.set("WEIGHT_REGION", {{"region", static_cast<std::uint64_t>(op.weights[0].region)}});
    const int streams = is_u85(op) ? accelerator.weight_decoders : op.dual_core ? 2 : 1;
    for (int s = 0; s < streams; ++s) {
      const std::string name = s == 0 ? "WEIGHT" : "WEIGHT" + std::to_string(s);
      out.set(name + "_BASE", op.weights[static_cast<std::size_t>(s)].base);
      out.set(name + "_LENGTH", op.weights[static_cast<std::size_t>(s)].length);
    }
    if (is_u85(op))
      out.set("WEIGHT_FORMAT", {{"weight_format", op.fast_weights}, {"weight_sparsity", op.sparse_weights}});
  }
  out.set("SCALE_REGION", {{"region", static_cast<std::uint64_t>(op.scales[0].region)}});
  for (std::size_t core = 0; core < (op.dual_core ? 2u : 1u); ++core) {
    const std::string name = core ? "SCALE1" : "SCALE";
    out.set(name + "_BASE", op.scales[core].base);
    out.set(name + "_LENGTH", op.scales[core].length);
  }
}

void emit_scaling(CommandWriter& out, const BlockOperation& op) {
  const auto u85 = [&](std::string_view name, const Scaling& s) {
    out.set(name, {{"shift", static_cast<std::uint64_t>(s.shift)},
                   {"dbl_rnd", static_cast<std::uint64_t>(s.dbl)},
                   {"round_mode", round_code(op, s.rounding)},
                   {"scale", s.scale}});
  };
  const bool elementwise = op.kind == OpKind::kElementwise;
  if (is_u85(op)) {
    if (elementwise) {
      u85("IFM_SCALE", op.ifm_scale);
      u85("IFM2_SCALE", op.ifm2_scale);
    }
    u85("OFM_SCALE", op.ofm_scale);  // a scale stream has no rounding of its own
    return;
  }
  if (elementwise) {
    out.set("OPA_SCALE", {{"shift", static_cast<std::uint64_t>(op.ifm_scale.shift)}, {"scale", op.ifm_scale.scale}});
    out.set("OPB_SCALE", {{"scale", op.ifm2_scale.scale}});
  }
  if (!op.scale_per_channel)
    out.set("OFM_SCALE", {{"shift", static_cast<std::uint64_t>(op.ofm_scale.shift)}, {"scale", op.ofm_scale.scale}});
}

void emit_activation(CommandWriter& out, const BlockOperation& op) {
  const auto& a = op.activation;
  const bool table = a.function == ActivationFunction::kTable;
  if (is_u85(op)) {
    const auto function = !table ? 0u : a.form == TableForm::kS8S8 ? 4u : a.form == TableForm::kS16S16 ? 8u : 9u;
    out.set("ACTIVATION", {{"activation_function", function},
                           {"table", static_cast<std::uint64_t>(a.table)},
                           {"activation_clip_range", a.clip == ClipRange::kNone}});
  } else {
    out.set("ACTIVATION", {{"activation_function", table ? 16u + static_cast<unsigned>(a.table) : 0u}});
  }
  out.set("ACTIVATION_MIN", a.min);
  out.set("ACTIVATION_MAX", a.max);
}

std::uint64_t microblock_code(const Hwc& u) {
  constexpr Hwc kShapes[] = {{1, 1, 0}, {1, 2, 0}, {1, 4, 0}, {2, 2, 0}, {2, 4, 0}, {4, 4, 0}};
  for (std::size_t i = 0; i < std::size(kShapes); ++i)
    if (kShapes[i].h == u.h && kShapes[i].w == u.w) return i;
  return 0;
}

void emit_block_size(CommandWriter& out, const BlockOperation& op) {
  out.set("OFM_BLK_HEIGHT_M1", register16(op.block.h - 1));
  out.set("OFM_BLK_WIDTH_M1", register16(op.block.w - 1));
  out.set("OFM_BLK_DEPTH_M1", register16(op.block.c - 1));
  if (is_u85(op)) {
    out.set("ACC_FORMAT", {{"acc_format", op.acc_format == AccFormat::kI48 ? 1u : 0u},
                           {"acc_input", code(op.acc_input)},
                           {"acc_output", !op.acc_output},
                           {"microblock", microblock_code(op.ublock)}});
  } else {
    out.set("IFM_IB_END", register16(op.ib_end));
    out.set("AB_START", register16(op.ab_start));
    if (op.kind == OpKind::kElementwise) out.set("IFM2_IB_START", register16(op.ib2_start));
    out.set("ACC_FORMAT", op.acc_format == AccFormat::kI40 ? 1u : 0u);
  }
  out.set("BLOCKDEP", static_cast<std::uint64_t>(op.blockdep));
}

void emit_resize(CommandWriter& out, const BlockOperation::Resize& r) {
  const auto offset = [](int value) { return static_cast<std::uint64_t>(value) & 0xFFF; };
  const auto number = [](int value) { return static_cast<std::uint64_t>(value); };
  out.set("RESIZE_X_SCALE_N_M1", number(r.n_x - 1));
  out.set("RESIZE_Y_SCALE_N_M1", number(r.n_y - 1));
  out.set("RESIZE_X_OFFSET", offset(r.offset_x));
  out.set("RESIZE_Y_OFFSET", offset(r.offset_y));
  out.set("RESIZE_X", {{"one_step_int", number(r.one_step_int_x)},
                       {"blk_step_int", number(r.blk_step_int_x)},
                       {"one_step_mod", number(r.one_step_mod_x)},
                       {"blk_step_mod", number(r.blk_step_mod_x)}});
  out.set("RESIZE_Y", {{"one_step_int", number(r.one_step_int_y)},
                       {"blk_step_int", number(r.blk_step_int_y)},
                       {"one_step_mod", number(r.one_step_mod_y)},
                       {"blk_step_mod", number(r.blk_step_mod_y)}});
}

}  // namespace

void emit_block_operation(CommandWriter& out, const BlockOperation& op, const Accelerator& accelerator) {
  emit_ifm(out, op);
  emit_ofm(out, op);
  if (op.has_ifm2()) emit_ifm2(out, op);
  if (op.kind != OpKind::kElementwise) emit_kernel(out, op.kernel);
  if (op.has_weights() || op.has_scales()) emit_streams(out, op, accelerator);
  emit_scaling(out, op);
  emit_activation(out, op);
  if (op.kind == OpKind::kResize) emit_resize(out, op.resize_step);
  emit_block_size(out, op);
  switch (op.kind) {
    case OpKind::kConv:
      if (op.weights_from_ifm2) return out.op("CONV", {{"weights_ifm2", 1}});
      return out.op("CONV");
    case OpKind::kDepthwise: return out.op("DEPTHWISE");
    case OpKind::kPool: return out.op("POOL", {{"pooling_mode", code(op.pool)}});
    case OpKind::kElementwise: return out.op("ELEMENTWISE", {{"elementwise_mode", code(op.elementwise)}});
    case OpKind::kResize: return out.op("RESIZE", {{"resize_mode", code(op.resize)}});
  }
}

}  // namespace macaw::npu
