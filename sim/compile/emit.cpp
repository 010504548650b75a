#include "sim/compile/command_writer.hpp"
#include "sim/compile/passes.hpp"

#include <bit>
#include <string>

namespace macaw::npu {
namespace {

std::uint64_t precision_code(int bits) { return static_cast<std::uint64_t>(std::countr_zero(static_cast<unsigned>(bits / 8))); }
std::uint64_t code(auto enumerator) { return static_cast<std::uint64_t>(enumerator); }
std::uint64_t register16(std::int64_t value) { return static_cast<std::uint64_t>(value) & 0xFFFF; }

/// Round modes of U55/U65 (functional document 5.2).
std::uint64_t round_code(Rounding rounding) {
  switch (rounding) {
    case Rounding::kDoubleSymmetric: return 0;
    case Rounding::kTruncateToZero: return 1;
    default: return 2;
  }
}

/// Registers that IFM, IFM2 and OFM have alike, all but the precision.
void emit_map(CommandWriter& out, const std::string& prefix, const FeatureMap& map) {
  out.set(prefix + "_REGION", {{"region", static_cast<std::uint64_t>(map.region)}});
  for (std::size_t i = 0; i < map.base.size(); ++i) out.set(prefix + "_BASE" + std::to_string(i), map.base[i]);
  out.set(prefix + "_HEIGHT0_M1", register16(map.height0 - 1));
  out.set(prefix + "_HEIGHT1_M1", register16(map.height1 - 1));
  out.set(prefix + "_WIDTH0_M1", register16(map.width0 - 1));
  out.set(prefix + "_STRIDE_Y", static_cast<std::uint64_t>(map.stride_y));
  out.set(prefix + "_STRIDE_X", static_cast<std::uint64_t>(map.stride_x));
  out.set(prefix + "_STRIDE_C", static_cast<std::uint64_t>(map.stride_c));
  out.set(prefix + "_ZERO_POINT", register16(map.zero_point));
}

void emit_ifm(CommandWriter& out, const BlockOperation& op) {
  emit_map(out, "IFM", op.ifm);
  out.set("IFM_DEPTH_M1", register16(op.ifm.c - 1));
  out.set("IFM_PRECISION", {{"activation_type", op.ifm.is_signed},
                            {"activation_precision", precision_code(op.ifm.bits)},
                            {"activation_format", code(op.ifm.layout)},
                            {"scale_mode", code(op.operand_scaling)},
                            {"round_mode", round_code(op.ifm_scale.rounding)}});
  out.set("IFM_UPSCALE", code(op.upscale));
}

void emit_ifm2(CommandWriter& out, const BlockOperation& op) {
  emit_map(out, "IFM2", op.ifm2);
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
  emit_map(out, "OFM", op.ofm);
  out.set("OFM_HEIGHT_M1", register16(op.ofm.h - 1));
  out.set("OFM_WIDTH_M1", register16(op.ofm.w - 1));
  out.set("OFM_DEPTH_M1", register16(op.ofm.c - 1));
  out.set("OFM_PRECISION", {{"activation_type", op.ofm.is_signed},
                            {"activation_precision", precision_code(op.ofm.bits)},
                            {"activation_format", code(op.ofm.layout)},
                            {"scale_mode", op.scale_per_channel ? 0u : 1u},
                            {"round_mode", round_code(op.ofm_scale.rounding)}});
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

void emit_streams(CommandWriter& out, const BlockOperation& op) {
  out.set("WEIGHT_REGION", {{"region", static_cast<std::uint64_t>(op.weights[0].region)}});
  out.set("SCALE_REGION", {{"region", static_cast<std::uint64_t>(op.scales[0].region)}});
  for (std::size_t core = 0; core < (op.dual_core ? 2u : 1u); ++core) {
    const std::string weight = core ? "WEIGHT1" : "WEIGHT", scale = core ? "SCALE1" : "SCALE";
    out.set(weight + "_BASE", op.weights[core].base);
    out.set(weight + "_LENGTH", op.weights[core].length);
    out.set(scale + "_BASE", op.scales[core].base);
    out.set(scale + "_LENGTH", op.scales[core].length);
  }
}

void emit_scaling(CommandWriter& out, const BlockOperation& op) {
  if (op.kind == OpKind::kElementwise) {
    out.set("OPA_SCALE", {{"shift", static_cast<std::uint64_t>(op.ifm_scale.shift)}, {"scale", op.ifm_scale.scale}});
    out.set("OPB_SCALE", {{"scale", op.ifm2_scale.scale}});
  }
  if (!op.scale_per_channel)
    out.set("OFM_SCALE", {{"shift", static_cast<std::uint64_t>(op.ofm_scale.shift)}, {"scale", op.ofm_scale.scale}});
}

void emit_block(CommandWriter& out, const BlockOperation& op) {
  out.set("OFM_BLK_HEIGHT_M1", register16(op.block.h - 1));
  out.set("OFM_BLK_WIDTH_M1", register16(op.block.w - 1));
  out.set("OFM_BLK_DEPTH_M1", register16(op.block.c - 1));
  out.set("IFM_IB_END", register16(op.ib_end));
  out.set("AB_START", register16(op.ab_start));
  if (op.kind == OpKind::kElementwise) out.set("IFM2_IB_START", register16(op.ib2_start));
  out.set("ACC_FORMAT", code(op.acc_format));
  out.set("BLOCKDEP", static_cast<std::uint64_t>(op.blockdep));
}

void emit_operation(CommandWriter& out, const BlockOperation& op) {
  emit_ifm(out, op);
  emit_ofm(out, op);
  if (op.kind == OpKind::kElementwise)
    emit_ifm2(out, op);
  else
    emit_kernel(out, op.kernel);
  if (op.kind == OpKind::kConv || op.kind == OpKind::kDepthwise) emit_streams(out, op);
  emit_scaling(out, op);
  out.set("ACTIVATION", {});
  out.set("ACTIVATION_MIN", op.activation.min);
  out.set("ACTIVATION_MAX", op.activation.max);
  emit_block(out, op);
  switch (op.kind) {
    case OpKind::kConv: return out.op("CONV");
    case OpKind::kDepthwise: return out.op("DEPTHWISE");
    case OpKind::kPool: return out.op("POOL", {{"pooling_mode", code(op.pool)}});
    case OpKind::kElementwise: return out.op("ELEMENTWISE", {{"elementwise_mode", code(op.elementwise)}});
    case OpKind::kResize: return;
  }
}

struct Range {
  std::uint64_t first = 0, last = 0;
  [[nodiscard]] bool meets(const Range& o) const { return first < o.last && o.first < last; }
};

Range range_of(const FeatureMap& map) {
  return {map.base[0], map.base[0] + static_cast<std::uint64_t>(map.stride_y) * static_cast<std::uint64_t>(map.h)};
}

/// Whether an operation may start while its predecessor is unfinished: neither reads or overwrites what the other
/// writes.
bool independent(const BlockOperation& before, const BlockOperation& after) {
  const auto written = range_of(before.ofm), writes = range_of(after.ofm);
  const auto clear = [](const Range& w, const BlockOperation& op) {
    return !w.meets(range_of(op.ifm)) && !(op.kind == OpKind::kElementwise && w.meets(range_of(op.ifm2)));
  };
  return !written.meets(writes) && clear(written, after) && clear(writes, before);
}

}  // namespace

Result<std::vector<std::uint32_t>> emit(const Network& network) {
  const auto& accelerator = *network.accelerator;
  CommandWriter out(accelerator.family);
  if (accelerator.family == Family::kU65) out.set("PARALLEL_MODE", accelerator.cores > 1);
  const BlockOperation* before = nullptr;
  BlockOperation current, previous;
  for (const auto& layer : network.layers) {
    const auto& ofm = network.tensors[layer.ofm];
    const auto item_bytes = [](const FeatureMap& map) {
      return static_cast<std::uint64_t>(map.stride_y) * static_cast<std::uint64_t>(map.h);
    };
    for (int n = 0; n < ofm.n; ++n) {
      current = layer.op;
      const auto item = static_cast<std::uint64_t>(n);
      for (auto* map : {&current.ifm, &current.ifm2, &current.ofm}) map->base[0] += item * item_bytes(*map);
      current.blockdep = before && independent(*before, current) ? accelerator.max_blockdep : 0;
      emit_operation(out, current);
      previous = current;
      before = &previous;
    }
  }
  out.op("STOP", {{"mask", 0xFFFF}});
  return out.finish();
}

}  // namespace macaw::npu
