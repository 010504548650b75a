#include "sim/isa/snapshot.hpp"

#include <algorithm>

#include "sim/isa/register_reader.hpp"

namespace macaw::npu {
namespace {

struct FeatureMapRegisters {
  FieldRef region, type, precision, format, zero_point, base[4], stride_x, stride_y, stride_c, width0, height0, height1;
};
#define MACAW_FEATURE_MAP(fm)                                                                                        \
  FeatureMapRegisters {                                                                                              \
    MACAW_REG_U65(fm "_REGION", "region"), MACAW_REG_U65(fm "_PRECISION", "activation_type"),                        \
        MACAW_REG_U65(fm "_PRECISION", "activation_precision"), MACAW_REG_U65(fm "_PRECISION", "activation_format"), \
        MACAW_REG_U65(fm "_ZERO_POINT", "zero_point"),                                                               \
        {MACAW_REG_U65(fm "_BASE0", "addr"), MACAW_REG_U65(fm "_BASE1", "addr"), MACAW_REG_U65(fm "_BASE2", "addr"), \
         MACAW_REG_U65(fm "_BASE3", "addr")},                                                                        \
        MACAW_REG_U65(fm "_STRIDE_X", "addr"), MACAW_REG_U65(fm "_STRIDE_Y", "addr"),                                \
        MACAW_REG_U65(fm "_STRIDE_C", "addr"), MACAW_REG_U65(fm "_WIDTH0_M1", "width_m1"),                           \
        MACAW_REG_U65(fm "_HEIGHT0_M1", "height_m1"), MACAW_REG_U65(fm "_HEIGHT1_M1", "height_m1")                   \
  }
constexpr FeatureMapRegisters kIfm = MACAW_FEATURE_MAP("IFM");
constexpr FeatureMapRegisters kIfm2 = MACAW_FEATURE_MAP("IFM2");
constexpr FeatureMapRegisters kOfm = MACAW_FEATURE_MAP("OFM");
#undef MACAW_FEATURE_MAP

FeatureMap read_feature_map(RegisterReader& in, const FeatureMapRegisters& r) {
  FeatureMap fm;
  fm.region = in.number(r.region);
  fm.layout = in.code<Layout>(r.format);
  fm.is_signed = in.code<bool>(r.type);
  fm.bits = 8 << in.code(r.precision);
  const auto zero_point = in.raw(r.zero_point);
  fm.zero_point = fm.is_signed ? std::int32_t(sign_extend(zero_point, 16)) : std::int32_t(zero_point);
  for (std::size_t i = 0; i < fm.base.size(); ++i) fm.base[i] = in.raw(r.base[i]);
  fm.stride_x = in.signed_address(r.stride_x);
  fm.stride_y = in.signed_address(r.stride_y);
  fm.stride_c = in.signed_address(r.stride_c);
  fm.width0 = in.number(r.width0) + 1;
  fm.height0 = in.number(r.height0) + 1;
  fm.height1 = in.number(r.height1) + 1;
  return fm;
}

void read_kernel(RegisterReader& in, BlockOperation& op) {
  constexpr auto stride = [](std::uint64_t lsb, std::uint64_t msb) { return int(1 + lsb + 2 * msb); };
  Kernel& k = op.kernel;
  k.height = in.number(MACAW_REG_U65("KERNEL_HEIGHT_M1", "height_m1")) + 1;
  k.width = in.number(MACAW_REG_U65("KERNEL_WIDTH_M1", "width_m1")) + 1;
  k.stride_y = stride(in.raw(MACAW_REG_U65("KERNEL_STRIDE", "stride_y_lsb")),
                      in.raw(MACAW_REG_U65("KERNEL_STRIDE", "stride_y_msb")));
  k.stride_x = stride(in.raw(MACAW_REG_U65("KERNEL_STRIDE", "stride_x_lsb")),
                      in.raw(MACAW_REG_U65("KERNEL_STRIDE", "stride_x_msb")));
  k.dilation_y = in.code(MACAW_REG_U65("KERNEL_STRIDE", "dilation_y")) + 1;
  k.dilation_x = in.code(MACAW_REG_U65("KERNEL_STRIDE", "dilation_x")) + 1;
  k.pad_top = in.number(MACAW_REG_U65("IFM_PAD_TOP", "pad"));
  k.pad_left = in.number(MACAW_REG_U65("IFM_PAD_LEFT", "pad"));
  k.pad_bottom = in.number(MACAW_REG_U65("IFM_PAD_BOTTOM", "pad"));
  k.pad_right = in.number(MACAW_REG_U65("IFM_PAD_RIGHT", "pad"));
  k.part_kernel_first = in.code<bool>(MACAW_REG_U65("KERNEL_STRIDE", "weight_order"));
  k.decomposition = in.code(MACAW_REG_U65("KERNEL_STRIDE", "decomposition")) ? 4 : 8;
  op.upscale = in.code<Upscale>(MACAW_REG_U65("IFM_UPSCALE", "mode"));
}

Stream read_stream(RegisterReader& in, FieldRef region, FieldRef base, FieldRef length) {
  return {in.number(region), in.raw(base), in.raw(length)};
}

void read_weights(RegisterReader& in, const Accelerator& accelerator, BlockOperation& op) {
  constexpr FieldRef region = MACAW_REG_U65("WEIGHT_REGION", "region");
  op.weights[0] =
      read_stream(in, region, MACAW_REG_U65("WEIGHT_BASE", "addr"), MACAW_REG_U65("WEIGHT_LENGTH", "length"));
  const int streams = op.family == Family::kU85 ? accelerator.weight_decoders : op.dual_core ? 2 : 1;
  if (streams > 1)
    op.weights[1] =
        read_stream(in, region, MACAW_REG_U65("WEIGHT1_BASE", "addr"), MACAW_REG_U65("WEIGHT1_LENGTH", "length"));
  if (streams > 2) {
    op.weights[2] =
        read_stream(in, region, MACAW_REG_U85("WEIGHT2_BASE", "addr"), MACAW_REG_U85("WEIGHT2_LENGTH", "length"));
    op.weights[3] =
        read_stream(in, region, MACAW_REG_U85("WEIGHT3_BASE", "addr"), MACAW_REG_U85("WEIGHT3_LENGTH", "length"));
  }
  if (op.family == Family::kU85) {
    op.fast_weights = in.code<bool>(MACAW_REG_U85("WEIGHT_FORMAT", "weight_format"));
    op.sparse_weights = in.code<bool>(MACAW_REG_U85("WEIGHT_FORMAT", "weight_sparsity"));
  }
}

void read_scales(RegisterReader& in, BlockOperation& op) {
  constexpr FieldRef region = MACAW_REG_U65("SCALE_REGION", "region");
  op.scales[0] = read_stream(in, region, MACAW_REG_U65("SCALE_BASE", "addr"), MACAW_REG_U65("SCALE_LENGTH", "length"));
  if (op.dual_core)
    op.scales[1] =
        read_stream(in, region, MACAW_REG_U65("SCALE1_BASE", "addr"), MACAW_REG_U65("SCALE1_LENGTH", "length"));
}

// Extents that no register holds (u55_u65 3.3).
void imply_extents(RegisterReader& in, BlockOperation& op) {
  const FeatureMap& ofm = op.ofm;
  const auto broadcast = [&](FeatureMap& fm, const Broadcast& b) {
    fm.h = b.h || b.scalar ? 1 : ofm.h;
    fm.w = b.w || b.scalar ? 1 : ofm.w;
    fm.c = b.c || b.scalar ? 1 : ofm.c;
  };
  const int ifm_depth = in.number(MACAW_REG_U65("IFM_DEPTH_M1", "depth_m1")) + 1;
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
    case OpKind::kPool: break;
  }
  const int divisor = op.upscale == Upscale::kNone ? 1 : 2;
  // Padding may cover the whole window (part of a decomposed transposed convolution): nothing is read then.
  op.ifm.h = (std::max(op.upscaled_h(), 0) + divisor - 1) / divisor;
  op.ifm.w = (std::max(op.upscaled_w(), 0) + divisor - 1) / divisor;
  const bool all_channels = op.kind == OpKind::kConv || (op.kind == OpKind::kPool && op.pool == PoolMode::kReduceSum);
  op.ifm.c = all_channels ? ifm_depth : ofm.c;
  if (op.weights_from_ifm2) {
    op.ifm2.h = 1;
    op.ifm2.w = ofm.c;
    op.ifm2.c = op.ifm.c;
  } else if (op.acc_input == AccInput::kIfm2) {
    op.ifm2.h = ofm.h;
    op.ifm2.w = ofm.w;
    op.ifm2.c = ofm.c;
  }
}

Rounding rounding_u65(int code) {
  constexpr Rounding kCodes[] = {Rounding::kDoubleSymmetric, Rounding::kTruncateToZero, Rounding::kNatural};
  return kCodes[code];
}

Rounding rounding_u85(int code) {
  constexpr Rounding kCodes[] = {Rounding::kDoubleSymmetric, Rounding::kNatural,        Rounding::kDoubleAsymmetric,
                                 Rounding::kSymmetric,       Rounding::kTruncateToZero, Rounding::kTruncateToLower};
  return kCodes[code];
}

#define MACAW_SCALING_U85(in, name)                                                                         \
  Scaling {                                                                                                 \
    std::uint32_t(in.raw(MACAW_REG_U85(name, "scale"))), in.number(MACAW_REG_U85(name, "shift")),           \
        rounding_u85(in.code(MACAW_REG_U85(name, "round_mode"))), in.number(MACAW_REG_U85(name, "dbl_rnd")) \
  }

void read_activation_bounds(RegisterReader& in, Activation& activation) {
  activation.min = std::uint16_t(in.raw(MACAW_REG_U65("ACTIVATION_MIN", "clip_boundary")));
  activation.max = std::uint16_t(in.raw(MACAW_REG_U65("ACTIVATION_MAX", "clip_boundary")));
}

void check_custom_dma(RegisterReader& in, Family family, FieldRef select) {
  if (family == Family::kU55 && in.flag(select)) in.fault(select, "the configuration has no custom DMA");
}
#define MACAW_CUSTOM_DMA(name) field_of(Family::kU55, "NPU_SET_" name, "custom_dma_cs")

void read_u55_u65(RegisterReader& in, const Accelerator& accelerator, BlockOperation& op) {
  check_custom_dma(in, op.family, MACAW_CUSTOM_DMA("IFM_REGION"));
  check_custom_dma(in, op.family, MACAW_CUSTOM_DMA("OFM_REGION"));
  if (op.has_weights()) {
    check_custom_dma(in, op.family, MACAW_CUSTOM_DMA("WEIGHT_REGION"));
    check_custom_dma(in, op.family, MACAW_CUSTOM_DMA("SCALE_REGION"));
  }
  if (op.family == Family::kU65) {
    constexpr FieldRef parallel = MACAW_REG_U65("PARALLEL_MODE", "parallel_mode");
    op.dual_core = in.code<bool>(parallel);
    if (op.dual_core && accelerator.cores < 2) in.fault(parallel, "the configuration has one core");
  }

  const auto ofm_rounding = rounding_u65(in.code(MACAW_REG_U65("OFM_PRECISION", "round_mode")));
  const auto ifm_rounding = rounding_u65(in.code(MACAW_REG_U65("IFM_PRECISION", "round_mode")));
  op.ofm_scale = {std::uint32_t(in.raw(MACAW_REG_U65("OFM_SCALE", "scale"))),
                  in.number(MACAW_REG_U65("OFM_SCALE", "shift")), ofm_rounding};
  op.ifm_scale = {std::uint32_t(in.raw(MACAW_REG_U65("OPA_SCALE", "scale"))),
                  in.number(MACAW_REG_U65("OPA_SCALE", "shift")), ifm_rounding};
  op.ifm2_scale = {std::uint32_t(in.raw(MACAW_REG_U65("OPB_SCALE", "scale"))), 0, ifm_rounding};

  if (op.kind == OpKind::kElementwise) {
    op.operand_scaling = in.code<OperandScaling>(MACAW_REG_U65("IFM_PRECISION", "scale_mode"));
    if (!is_unary(op.elementwise)) {
      op.operands_swapped = in.code<bool>(MACAW_REG_U65("IFM2_BROADCAST", "operand_order"));
      op.ifm2_broadcast = {in.flag(MACAW_REG_U65("IFM2_BROADCAST", "broadcast_h")),
                           in.flag(MACAW_REG_U65("IFM2_BROADCAST", "broadcast_w")),
                           in.flag(MACAW_REG_U65("IFM2_BROADCAST", "broadcast_c")),
                           in.flag(MACAW_REG_U65("IFM2_BROADCAST", "broadcast_constant"))};
      const auto scalar = in.raw(MACAW_REG_U65("IFM2_SCALAR", "scalar"));
      op.scalar = op.ifm2.is_signed ? sign_extend(scalar, 16) : std::int64_t(scalar);
    }
    op.ib2_start = in.number(MACAW_REG_U65("IFM2_IB_START", "ib_start"));
  }
  op.ib_end = in.number(MACAW_REG_U65("IFM_IB_END", "ib_end"));
  op.ab_start = in.number(MACAW_REG_U65("AB_START", "ab_start"));

  constexpr AccFormat kAccFormats[] = {AccFormat::kI32, AccFormat::kI40, AccFormat::kF16};
  op.acc_format = kAccFormats[in.code(MACAW_REG_U65("ACC_FORMAT", "acc_format"))];

  // 256 MACs per core turn their 2x2 micro-block into a row for one-row convolutions (Vela
  // ethosu/vela/npu_performance.py).
  op.ublock = accelerator.ofm_ublock;
  if (op.ublock.h == 2 && op.kind == OpKind::kConv && op.ofm.h == 1 && op.ofm.w % 2 == 0 && op.kernel.height == 1)
    op.ublock = {1, 4, op.ublock.c};

  constexpr int kFirstTable = 16;
  const int function = in.code(MACAW_REG_U65("ACTIVATION", "activation_function"));
  if (function >= kFirstTable) {
    op.activation.function = ActivationFunction::kTable;
    op.activation.table = function - kFirstTable;
  } else if (function != 0) {
    op.activation.function = function == 3 ? ActivationFunction::kTanh : ActivationFunction::kSigmoid;
  }
  constexpr ClipRange kClip[] = {ClipRange::kOfmPrecision, ClipRange::kNone, ClipRange::kForceUint8,
                                 ClipRange::kForceInt8,    ClipRange::kNone, ClipRange::kForceInt16};
  op.activation.clip = kClip[in.code(MACAW_REG_U65("ACTIVATION", "activation_clip_range"))];
}

Hwc microblock(RegisterReader& in, const Accelerator& accelerator) {
  constexpr FieldRef ref = MACAW_REG_U85("ACC_FORMAT", "microblock");
  constexpr Hwc kShapes[] = {{1, 1}, {1, 2}, {1, 4}, {2, 2}, {2, 4}, {4, 4}};
  const Hwc shape = kShapes[in.code(ref)];
  const auto ublock =
      std::ranges::find_if(accelerator.ofm_ublocks, [&](const Hwc& u) { return u.h == shape.h && u.w == shape.w; });
  if (ublock == accelerator.ofm_ublocks.end()) {
    in.fault(ref, fmt::format("{} has no {}x{} micro-block", accelerator.name, shape.h, shape.w));
    return accelerator.ofm_ublock;
  }
  return *ublock;
}

void read_u85(RegisterReader& in, const Accelerator& accelerator, BlockOperation& op) {
  op.ifm.storage = in.code<Storage>(MACAW_REG_U85("IFM_PRECISION", "activation_storage"));
  op.ifm2.storage = in.code<Storage>(MACAW_REG_U85("IFM2_PRECISION", "activation_storage"));
  op.ofm.storage = in.code<Storage>(MACAW_REG_U85("OFM_PRECISION", "activation_storage"));
  op.reverse = in.code(MACAW_REG_U85("OFM_PRECISION", "activation_reverse"));
  op.transpose = in.code(MACAW_REG_U85("OFM_PRECISION", "activation_transpose"));
  op.ofm_scale = MACAW_SCALING_U85(in, "OFM_SCALE");
  op.ifm_scale = MACAW_SCALING_U85(in, "IFM_SCALE");
  op.ifm2_scale = MACAW_SCALING_U85(in, "IFM2_SCALE");

  constexpr AccFormat kAccFormats[] = {AccFormat::kI32, AccFormat::kI48};
  op.acc_format = kAccFormats[in.code(MACAW_REG_U85("ACC_FORMAT", "acc_format"))];
  op.acc_input = in.code<AccInput>(MACAW_REG_U85("ACC_FORMAT", "acc_input"));
  op.acc_output = in.code(MACAW_REG_U85("ACC_FORMAT", "acc_output")) == 0;
  op.ublock = microblock(in, accelerator);

  if (op.kind == OpKind::kElementwise) {
    constexpr auto broadcast = [](int code) {
      return Broadcast{(code & 1) != 0, (code & 2) != 0, (code & 4) != 0, code == 8};
    };
    op.ifm_broadcast = broadcast(in.code(MACAW_REG_U85("IFM_BROADCAST", "broadcast_mode")));
    if (!is_unary(op.elementwise))
      op.ifm2_broadcast = broadcast(in.code(MACAW_REG_U85("IFM2_BROADCAST", "broadcast_mode")));
    op.scalar = sign_extend(in.raw(MACAW_REG_U85("OP_SCALAR", "scalar")), 32);
  }
  if (op.kind == OpKind::kResize) {
    auto& r = op.resize_step;
    r.n_x = in.number(MACAW_REG_U85("RESIZE_X_SCALE_N_M1", "resize_x_scale_n_m1")) + 1;
    r.n_y = in.number(MACAW_REG_U85("RESIZE_Y_SCALE_N_M1", "resize_y_scale_n_m1")) + 1;
    r.offset_x = int(sign_extend(in.raw(MACAW_REG_U85("RESIZE_X_OFFSET", "resize_x_offset")), 12));
    r.offset_y = int(sign_extend(in.raw(MACAW_REG_U85("RESIZE_Y_OFFSET", "resize_y_offset")), 12));
    r.one_step_int_x = in.number(MACAW_REG_U85("RESIZE_X", "one_step_int"));
    r.one_step_mod_x = in.number(MACAW_REG_U85("RESIZE_X", "one_step_mod"));
    r.blk_step_int_x = in.number(MACAW_REG_U85("RESIZE_X", "blk_step_int"));
    r.blk_step_mod_x = in.number(MACAW_REG_U85("RESIZE_X", "blk_step_mod"));
    r.one_step_int_y = in.number(MACAW_REG_U85("RESIZE_Y", "one_step_int"));
    r.one_step_mod_y = in.number(MACAW_REG_U85("RESIZE_Y", "one_step_mod"));
    r.blk_step_int_y = in.number(MACAW_REG_U85("RESIZE_Y", "blk_step_int"));
    r.blk_step_mod_y = in.number(MACAW_REG_U85("RESIZE_Y", "blk_step_mod"));
  }

  struct Function {
    ActivationFunction function;
    TableForm form;
  };
  constexpr auto kTable = ActivationFunction::kTable;
  constexpr Function kFunctions[] = {{ActivationFunction::kNone, TableForm::kFromOfm},
                                     {kTable, TableForm::kU8U8},
                                     {},
                                     {},
                                     {kTable, TableForm::kS8S8},
                                     {kTable, TableForm::kS8S16},
                                     {},
                                     {kTable, TableForm::kS8S32},
                                     {kTable, TableForm::kS16S16},
                                     {kTable, TableForm::kS16S32},
                                     {ActivationFunction::kTanh, TableForm::kTanh},
                                     {ActivationFunction::kSigmoid, TableForm::kSigmoid}};
  const auto& function = kFunctions[in.code(MACAW_REG_U85("ACTIVATION", "activation_function"))];
  op.activation.function = function.function;
  op.activation.form = function.form;
  op.activation.table = in.number(MACAW_REG_U85("ACTIVATION", "table"));
  const bool no_clip = in.code<bool>(MACAW_REG_U85("ACTIVATION", "activation_clip_range"));
  op.activation.clip = no_clip ? ClipRange::kNone : ClipRange::kOfmPrecision;
}

void read_kind(RegisterReader& in, const Command& command, BlockOperation& op) {
  const auto is = [&](std::string_view name) { return command.row->name == name; };
  if (is("NPU_OP_CONV")) {
    op.kind = OpKind::kConv;
    if (op.family == Family::kU85)
      op.weights_from_ifm2 = command.value(*field_of(Family::kU85, "NPU_OP_CONV", "weights_ifm2").field) != 0;
  } else if (is("NPU_OP_DEPTHWISE")) {
    op.kind = OpKind::kDepthwise;
  } else if (is("NPU_OP_POOL")) {
    op.kind = OpKind::kPool;
    op.pool = in.own_code<PoolMode>(field_of(Family::kU85, "NPU_OP_POOL", "pooling_mode"));
  } else if (is("NPU_OP_ELEMENTWISE")) {
    op.kind = OpKind::kElementwise;
    op.elementwise = in.own_code<ElementwiseMode>(field_of(Family::kU85, "NPU_OP_ELEMENTWISE", "elementwise_mode"));
  } else if (is("NPU_OP_RESIZE")) {
    op.kind = OpKind::kResize;
    op.resize = in.own_code<ResizeMode>(field_of(Family::kU85, "NPU_OP_RESIZE", "resize_mode"));
  } else {
    in.fault("not a block operation");
  }
}

}  // namespace

Result<BlockOperation> block_operation(const RegisterFile& registers, const Accelerator& accelerator,
                                       const Command& command) {
  RegisterReader in(registers, command);
  BlockOperation op;
  op.family = accelerator.family;
  read_kind(in, command, op);

  op.ifm = read_feature_map(in, kIfm);
  op.ifm2 = read_feature_map(in, kIfm2);
  op.ofm = read_feature_map(in, kOfm);
  op.ofm.h = in.number(MACAW_REG_U65("OFM_HEIGHT_M1", "height_m1")) + 1;
  op.ofm.w = in.number(MACAW_REG_U65("OFM_WIDTH_M1", "width_m1")) + 1;
  op.ofm.c = in.number(MACAW_REG_U65("OFM_DEPTH_M1", "depth_m1")) + 1;
  op.block = {in.number(MACAW_REG_U85("OFM_BLK_HEIGHT_M1", "height_m1")) + 1,
              in.number(MACAW_REG_U85("OFM_BLK_WIDTH_M1", "width_m1")) + 1,
              in.number(MACAW_REG_U85("OFM_BLK_DEPTH_M1", "depth_m1")) + 1};
  read_kernel(in, op);
  op.scale_per_channel = in.code(MACAW_REG_U65("OFM_PRECISION", "scale_mode")) == 0;
  op.blockdep = in.number(MACAW_REG_U85("BLOCKDEP", "blockdep"));
  read_activation_bounds(in, op.activation);
  if (op.family == Family::kU85) read_u85(in, accelerator, op);
  else read_u55_u65(in, accelerator, op);
  if (op.has_weights()) read_weights(in, accelerator, op);
  if (op.kind == OpKind::kConv || op.kind == OpKind::kDepthwise || (op.kind == OpKind::kPool && op.scale_per_channel))
    read_scales(in, op);
  imply_extents(in, op);

  if (in.error()) return tl::unexpected(*in.error());
  return op;
}

Result<DmaOperation> dma_operation(const RegisterFile& registers, const Accelerator& accelerator,
                                   const Command& command) {
  RegisterReader in(registers, command);
  DmaOperation op;
  op.family = accelerator.family;
  check_custom_dma(in, op.family, MACAW_CUSTOM_DMA("DMA0_SRC_REGION"));
  check_custom_dma(in, op.family, MACAW_CUSTOM_DMA("DMA0_DST_REGION"));
  op.src_region = in.number(MACAW_REG_U65("DMA0_SRC_REGION", "region"));
  op.dst_region = in.number(MACAW_REG_U65("DMA0_DST_REGION", "region"));
  op.src_internal = in.code<bool>(MACAW_REG_U65("DMA0_SRC_REGION", "region_mode"));
  op.dst_internal = in.code<bool>(MACAW_REG_U65("DMA0_DST_REGION", "region_mode"));
  op.dimensions = in.code(MACAW_REG_U65("DMA0_SRC_REGION", "stride_mode")) + 1;
  op.src = in.raw(MACAW_REG_U65("DMA0_SRC", "addr"));
  op.dst = in.raw(MACAW_REG_U65("DMA0_DST", "addr"));
  op.len = in.raw(MACAW_REG_U65("DMA0_LEN", "addr"));
  if (op.len == 0) in.fault(MACAW_REG_U65("DMA0_LEN", "addr"), "the transfer is empty");
  if (op.dimensions > 1) {
    constexpr FieldRef size = MACAW_REG_U65("DMA0_SIZE0", "size");
    op.size0 = std::uint32_t(in.raw(size));
    if (op.size0 == 0) in.fault(size, "the transfer is empty");
  }
  if (op.dimensions > 2) {
    constexpr FieldRef size = MACAW_REG_U65("DMA0_SIZE1", "size");
    op.size1 = std::uint32_t(in.raw(size));
    if (op.size1 == 0) in.fault(size, "the transfer is empty");
  }
  if (op.family == Family::kU65 && op.dimensions > 1) {
    op.skip0 = in.signed_address(MACAW_REG_U65("DMA0_SKIP0", "addr"));
    op.skip1 = in.signed_address(MACAW_REG_U65("DMA0_SKIP1", "addr"));
  }
  if (op.family == Family::kU85) {
    op.src_indexed = in.code<bool>(MACAW_REG_U85("DMA0_SRC_REGION", "idx_mode"));
    op.dst_indexed = in.code<bool>(MACAW_REG_U85("DMA0_DST_REGION", "idx_mode"));
    op.src_stride0 = in.signed_address(MACAW_REG_U85("DMA0_SRC_STRIDE0", "addr"));
    op.src_stride1 = in.signed_address(MACAW_REG_U85("DMA0_SRC_STRIDE1", "addr"));
    op.dst_stride0 = in.signed_address(MACAW_REG_U85("DMA0_DST_STRIDE0", "addr"));
    op.dst_stride1 = in.signed_address(MACAW_REG_U85("DMA0_DST_STRIDE1", "addr"));
    op.idx_region = in.number(MACAW_REG_U85("DMA0_IDX_REGION", "region"));
    op.idx = in.raw(MACAW_REG_U85("DMA0_IDX", "addr"));
    op.idx_max = std::uint32_t(in.raw(MACAW_REG_U85("DMA0_IDX_MAX", "idx_max")));
    op.idx_skip1 = in.signed_address(MACAW_REG_U85("DMA0_IDX_SKIP1", "addr"));
  }
  if (in.error()) return tl::unexpected(*in.error());
  return op;
}

}  // namespace macaw::npu
