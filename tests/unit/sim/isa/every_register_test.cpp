#include "sim/isa/command_parser.hpp"

#include <catch2/catch.hpp>

#include <set>

// Every field of every register fills one member, and each code of an enumeration stands for what the registers'
// headers say (hal_ethos_u, src/ethosu*_interface.h; u55_u65 2.3, 5.2, u85 2.3, 5.2). Fields that maps have alike are
// in own_registers_test.cpp.
using namespace macaw;
using namespace macaw::npu;
using namespace macaw::npu::families;

namespace {

struct Value {
  std::uint64_t code;
  std::int64_t expected;
};

template <class Operation>
struct Field {
  FamilySet families;
  const char* command;
  const char* name;
  std::vector<Value> values;
  std::int64_t (*member)(const Operation&);
};

#define MEMBER(place) [](const auto& op) { return static_cast<std::int64_t>(op.place); }

constexpr int kLast = 0xffff;
using Block = Field<BlockOperation>;
using Dma = Field<DmaOperation>;

std::int64_t of(auto enumerator) { return static_cast<std::int64_t>(enumerator); }

const std::vector<Value> kRounding65 = {
    {0, of(Rounding::kDoubleSymmetric)}, {1, of(Rounding::kTruncateToZero)}, {2, of(Rounding::kNatural)}};
const std::vector<Value> kRounding85 = {{0, of(Rounding::kDoubleSymmetric)},  {1, of(Rounding::kNatural)},
                                        {2, of(Rounding::kDoubleAsymmetric)}, {3, of(Rounding::kSymmetric)},
                                        {4, of(Rounding::kTruncateToZero)},   {5, of(Rounding::kTruncateToLower)}};
const std::vector<Value> kRoundingOperand = {{0, of(Rounding::kDoubleSymmetric)}, {1, of(Rounding::kNatural)}};
const std::vector<Value> kBits = {{0, 8}, {1, 16}, {2, 32}, {3, 64}};
const std::vector<Value> kFlag = {{0, 0}, {1, 1}};
const std::vector<Value> kExtent = {{0, 1}, {1, 2}, {kLast, 0x10000}};
const std::vector<Value> kSize = {{0, 0}, {0x8001, 0x8001}, {kLast, kLast}};
const std::vector<Value> kAddress = {{0, 0}, {0x12345670, 0x12345670}, {0xfffffff0, 0xfffffff0}};
const std::vector<Value> kWideAddress = {{0, 0}, {0xfedcba9870, 0xfedcba9870}};
const std::vector<Value> kSigned40 = {
    {0x7f'ffff'fff0, 0x7f'ffff'fff0}, {0xff'ffff'fff0, -16}, {0x80'0000'0000, -0x80'0000'0000}};
const std::vector<Value> kShift = {{0, 0}, {31, 31}, {63, 63}};
const std::vector<Value> kRegion = {{0, 0}, {5, 5}, {7, 7}};
const std::vector<Value> kBank = {{0, 0}, {47, 47}, {63, 63}};
const std::vector<Value> kPad = {{0, 0}, {127, 127}};
const std::vector<Value> kWidePad = {{0, 0}, {255, 255}};
const std::vector<Value> kStorage = {{0, of(npu::Storage::kTile2x2)},
                                     {1, of(npu::Storage::kTile3x1)},
                                     {2, of(npu::Storage::kChained)},
                                     {3, of(npu::Storage::kNone)}};
const std::vector<Value> kScale31 = {{0, 0}, {0x7fffffff, 0x7fffffff}};
const std::vector<Value> kStep = {{0, 0}, {2047, 2047}};

const std::vector<Block> kWindow = {
    {kAll, "NPU_SET_IFM_PAD_TOP", "pad", kPad, MEMBER(kernel.pad_top)},
    {kAll, "NPU_SET_IFM_PAD_LEFT", "pad", kPad, MEMBER(kernel.pad_left)},
    {kAll, "NPU_SET_IFM_PAD_RIGHT", "pad", kWidePad, MEMBER(kernel.pad_right)},
    {kAll, "NPU_SET_IFM_PAD_BOTTOM", "pad", kWidePad, MEMBER(kernel.pad_bottom)},
    {kAll, "NPU_SET_IFM_DEPTH_M1", "depth_m1", kExtent, MEMBER(ifm.c)},
    {kAll,
     "NPU_SET_IFM_UPSCALE",
     "mode",
     {{0, of(Upscale::kNone)}, {1, of(Upscale::kNearest)}, {2, of(Upscale::kZeros)}},
     MEMBER(upscale)},
    {kAll, "NPU_SET_OFM_WIDTH_M1", "width_m1", kExtent, MEMBER(ofm.w)},
    {kAll, "NPU_SET_OFM_HEIGHT_M1", "height_m1", kExtent, MEMBER(ofm.h)},
    {kAll, "NPU_SET_OFM_DEPTH_M1", "depth_m1", kExtent, MEMBER(ofm.c)},
    {kU55U65, "NPU_SET_OFM_BLK_WIDTH_M1", "width_m1", {{0, 1}, {63, 64}}, MEMBER(block.w)},
    {kU55U65, "NPU_SET_OFM_BLK_HEIGHT_M1", "height_m1", {{0, 1}, {31, 32}}, MEMBER(block.h)},
    {kU55U65, "NPU_SET_OFM_BLK_DEPTH_M1", "depth_m1", {{0, 1}, {127, 128}}, MEMBER(block.c)},
    {kU85, "NPU_SET_OFM_BLK_WIDTH_M1", "width_m1", {{0, 1}, {127, 128}}, MEMBER(block.w)},
    {kU85, "NPU_SET_OFM_BLK_HEIGHT_M1", "height_m1", {{0, 1}, {127, 128}}, MEMBER(block.h)},
    {kU85, "NPU_SET_OFM_BLK_DEPTH_M1", "depth_m1", {{0, 1}, {1023, 1024}}, MEMBER(block.c)},
    {kAll, "NPU_SET_KERNEL_WIDTH_M1", "width_m1", kExtent, MEMBER(kernel.width)},
    {kAll, "NPU_SET_KERNEL_HEIGHT_M1", "height_m1", kExtent, MEMBER(kernel.height)},
    {kAll, "NPU_SET_KERNEL_STRIDE", "stride_x_lsb", {{0, 1}, {1, 2}}, MEMBER(kernel.stride_x)},
    {kAll, "NPU_SET_KERNEL_STRIDE", "stride_x_msb", {{0, 1}, {1, 3}}, MEMBER(kernel.stride_x)},
    {kAll, "NPU_SET_KERNEL_STRIDE", "stride_y_lsb", {{0, 1}, {1, 2}}, MEMBER(kernel.stride_y)},
    {kAll, "NPU_SET_KERNEL_STRIDE", "stride_y_msb", {{0, 1}, {1, 3}}, MEMBER(kernel.stride_y)},
    {kAll, "NPU_SET_KERNEL_STRIDE", "dilation_x", {{0, 1}, {1, 2}}, MEMBER(kernel.dilation_x)},
    {kAll, "NPU_SET_KERNEL_STRIDE", "dilation_y", {{0, 1}, {1, 2}}, MEMBER(kernel.dilation_y)},
    {kAll, "NPU_SET_KERNEL_STRIDE", "weight_order", kFlag, MEMBER(kernel.part_kernel_first)},
    {kAll, "NPU_SET_KERNEL_STRIDE", "decomposition", {{0, 8}, {1, 4}}, MEMBER(kernel.decomposition)},
    {kU65, "NPU_SET_PARALLEL_MODE", "parallel_mode", kFlag, MEMBER(dual_core)},
    {kAll, "NPU_SET_WEIGHT_REGION", "region", kRegion, MEMBER(weights[0].region)},
    {kAll, "NPU_SET_SCALE_REGION", "region", kRegion, MEMBER(scales[0].region)},
    {kAll, "NPU_SET_WEIGHT_BASE", "addr", kAddress, MEMBER(weights[0].base)},
    {kAll, "NPU_SET_WEIGHT_LENGTH", "length", kAddress, MEMBER(weights[0].length)},
    {kAll, "NPU_SET_SCALE_BASE", "addr", kAddress, MEMBER(scales[0].base)},
    {kAll, "NPU_SET_SCALE_LENGTH", "length", {{0, 0}, {0xfffff, 0xfffff}}, MEMBER(scales[0].length)},
    {kU85, "NPU_SET_WEIGHT_FORMAT", "weight_format", kFlag, MEMBER(fast_weights)},
    {kU85, "NPU_SET_WEIGHT_FORMAT", "weight_sparsity", kFlag, MEMBER(sparse_weights)},
};

const std::vector<Block> kValues = {
    {kAll, "NPU_SET_IFM_PRECISION", "activation_type", kFlag, MEMBER(ifm.is_signed)},
    {kAll, "NPU_SET_IFM_PRECISION", "activation_precision", kBits, MEMBER(ifm.bits)},
    {kAll, "NPU_SET_IFM_PRECISION", "activation_format", kFlag, MEMBER(ifm.layout)},
    {kU55U65, "NPU_SET_IFM_PRECISION", "round_mode", kRounding65, MEMBER(ifm_scale.rounding)},
    {kU55U65, "NPU_SET_IFM_PRECISION", "round_mode", kRounding65, MEMBER(ifm2_scale.rounding)},
    {kU85, "NPU_SET_IFM_PRECISION", "activation_storage", kStorage, MEMBER(ifm.storage)},
    {kAll, "NPU_SET_IFM2_PRECISION", "activation_type", kFlag, MEMBER(ifm2.is_signed)},
    {kAll, "NPU_SET_IFM2_PRECISION", "activation_precision", kBits, MEMBER(ifm2.bits)},
    {kAll, "NPU_SET_IFM2_PRECISION", "activation_format", kFlag, MEMBER(ifm2.layout)},
    {kU85, "NPU_SET_IFM2_PRECISION", "activation_storage", kStorage, MEMBER(ifm2.storage)},
    {kAll, "NPU_SET_OFM_PRECISION", "activation_type", kFlag, MEMBER(ofm.is_signed)},
    {kAll, "NPU_SET_OFM_PRECISION", "activation_precision", kBits, MEMBER(ofm.bits)},
    {kAll, "NPU_SET_OFM_PRECISION", "activation_format", kFlag, MEMBER(ofm.layout)},
    {kAll, "NPU_SET_OFM_PRECISION", "scale_mode", {{0, 1}, {1, 0}}, MEMBER(scale_per_channel)},
    {kU55U65, "NPU_SET_OFM_PRECISION", "round_mode", kRounding65, MEMBER(ofm_scale.rounding)},
    {kU85, "NPU_SET_OFM_PRECISION", "activation_reverse", {{0, 0}, {1, 1}, {2, 2}, {3, 3}}, MEMBER(reverse)},
    {kU85,
     "NPU_SET_OFM_PRECISION",
     "activation_transpose",
     {{0, 0}, {1, 1}, {2, 2}, {3, 3}, {6, 6}, {7, 7}},
     MEMBER(transpose)},
    {kU85, "NPU_SET_OFM_PRECISION", "activation_storage", kStorage, MEMBER(ofm.storage)},
    {kAll, "NPU_SET_ACTIVATION_MIN", "clip_boundary", kSize, MEMBER(activation.min)},
    {kAll, "NPU_SET_ACTIVATION_MAX", "clip_boundary", kSize, MEMBER(activation.max)},
    {kU55U65,
     "NPU_SET_ACTIVATION",
     "activation_function",
     {{0, of(ActivationFunction::kNone)},
      {3, of(ActivationFunction::kTanh)},
      {4, of(ActivationFunction::kSigmoid)},
      {16, of(ActivationFunction::kTable)},
      {23, of(ActivationFunction::kTable)}},
     MEMBER(activation.function)},
    {kU55U65,
     "NPU_SET_ACTIVATION",
     "activation_function",
     {{0, 0}, {16, 0}, {17, 1}, {18, 2}, {19, 3}, {20, 4}, {21, 5}, {22, 6}, {23, 7}},
     MEMBER(activation.table)},
    {kU55U65,
     "NPU_SET_ACTIVATION",
     "activation_clip_range",
     {{0, of(ClipRange::kOfmPrecision)},
      {2, of(ClipRange::kForceUint8)},
      {3, of(ClipRange::kForceInt8)},
      {5, of(ClipRange::kForceInt16)}},
     MEMBER(activation.clip)},
    {kU85,
     "NPU_SET_ACTIVATION",
     "activation_function",
     {{0, of(TableForm::kFromOfm)},
      {1, of(TableForm::kU8U8)},
      {4, of(TableForm::kS8S8)},
      {5, of(TableForm::kS8S16)},
      {7, of(TableForm::kS8S32)},
      {8, of(TableForm::kS16S16)},
      {9, of(TableForm::kS16S32)},
      {10, of(TableForm::kTanh)},
      {11, of(TableForm::kSigmoid)}},
     MEMBER(activation.form)},
    {kU85, "NPU_SET_ACTIVATION", "table", kRegion, MEMBER(activation.table)},
    {kU85,
     "NPU_SET_ACTIVATION",
     "activation_clip_range",
     {{0, of(ClipRange::kOfmPrecision)}, {1, of(ClipRange::kNone)}},
     MEMBER(activation.clip)},
    {kU55U65,
     "NPU_SET_ACC_FORMAT",
     "acc_format",
     {{0, of(AccFormat::kI32)}, {1, of(AccFormat::kI40)}, {2, of(AccFormat::kF16)}},
     MEMBER(acc_format)},
    {kU85,
     "NPU_SET_ACC_FORMAT",
     "acc_format",
     {{0, of(AccFormat::kI32)}, {1, of(AccFormat::kI48)}},
     MEMBER(acc_format)},
    {kU85,
     "NPU_SET_ACC_FORMAT",
     "acc_input",
     {{0, of(AccInput::kReset)}, {1, of(AccInput::kKeep)}, {2, of(AccInput::kIfm2)}},
     MEMBER(acc_input)},
    {kU85, "NPU_SET_ACC_FORMAT", "acc_output", {{0, 1}, {1, 0}}, MEMBER(acc_output)},
    {kU55U65, "NPU_SET_BLOCKDEP", "blockdep", {{0, 0}, {1, 1}, {3, 3}}, MEMBER(blockdep)},
    {kU85, "NPU_SET_BLOCKDEP", "blockdep", {{0, 0}, {4, 4}, {7, 7}}, MEMBER(blockdep)},
    {kU55U65, "NPU_SET_IFM_IB_END", "ib_end", kBank, MEMBER(ib_end)},
    {kU55U65, "NPU_SET_AB_START", "ab_start", kBank, MEMBER(ab_start)},
    {kAll, "NPU_SET_OFM_SCALE", "shift", kShift, MEMBER(ofm_scale.shift)},
    {kU55U65, "NPU_SET_OFM_SCALE", "scale", kAddress, MEMBER(ofm_scale.scale)},
    {kU55U65, "NPU_SET_OPA_SCALE", "shift", kShift, MEMBER(ifm_scale.shift)},
    {kU55U65, "NPU_SET_OPA_SCALE", "scale", kAddress, MEMBER(ifm_scale.scale)},
    {kU55U65, "NPU_SET_OPB_SCALE", "scale", kSize, MEMBER(ifm2_scale.scale)},
    {kU85, "NPU_SET_OFM_SCALE", "scale", kScale31, MEMBER(ofm_scale.scale)},
    {kU85, "NPU_SET_OFM_SCALE", "dbl_rnd", {{0, 0}, {31, 31}}, MEMBER(ofm_scale.dbl)},
    {kU85, "NPU_SET_OFM_SCALE", "round_mode", kRounding85, MEMBER(ofm_scale.rounding)},
    {kU85, "NPU_SET_IFM_SCALE", "shift", kShift, MEMBER(ifm_scale.shift)},
    {kU85, "NPU_SET_IFM_SCALE", "scale", kScale31, MEMBER(ifm_scale.scale)},
    {kU85, "NPU_SET_IFM_SCALE", "dbl_rnd", {{0, 0}, {31, 31}}, MEMBER(ifm_scale.dbl)},
    {kU85, "NPU_SET_IFM_SCALE", "round_mode", kRoundingOperand, MEMBER(ifm_scale.rounding)},
    {kU85, "NPU_SET_IFM2_SCALE", "shift", kShift, MEMBER(ifm2_scale.shift)},
    {kU85, "NPU_SET_IFM2_SCALE", "scale", kScale31, MEMBER(ifm2_scale.scale)},
    {kU85, "NPU_SET_IFM2_SCALE", "dbl_rnd", {{0, 0}, {31, 31}}, MEMBER(ifm2_scale.dbl)},
    {kU85, "NPU_SET_IFM2_SCALE", "round_mode", kRoundingOperand, MEMBER(ifm2_scale.rounding)},
};

const std::vector<Block> kDecoders = {
    {kU85, "NPU_SET_WEIGHT1_BASE", "addr", kWideAddress, MEMBER(weights[1].base)},
    {kU85, "NPU_SET_WEIGHT1_LENGTH", "length", kAddress, MEMBER(weights[1].length)},
    {kU85, "NPU_SET_WEIGHT2_BASE", "addr", kWideAddress, MEMBER(weights[2].base)},
    {kU85, "NPU_SET_WEIGHT2_LENGTH", "length", kAddress, MEMBER(weights[2].length)},
    {kU85, "NPU_SET_WEIGHT3_BASE", "addr", kWideAddress, MEMBER(weights[3].base)},
    {kU85, "NPU_SET_WEIGHT3_LENGTH", "length", kAddress, MEMBER(weights[3].length)},
    {kU85, "NPU_SET_WEIGHT_REGION", "region", kRegion, MEMBER(weights[3].region)},
};

const std::vector<Block> kTwoCores = {
    {kU65, "NPU_SET_WEIGHT_REGION", "region", kRegion, MEMBER(weights[1].region)},
    {kU65, "NPU_SET_SCALE_REGION", "region", kRegion, MEMBER(scales[1].region)},
    {kU65, "NPU_SET_WEIGHT_BASE", "addr", kWideAddress, MEMBER(weights[0].base)},
    {kU65, "NPU_SET_WEIGHT1_BASE", "addr", kWideAddress, MEMBER(weights[1].base)},
    {kU65, "NPU_SET_WEIGHT1_LENGTH", "length", kAddress, MEMBER(weights[1].length)},
    {kU65, "NPU_SET_SCALE1_BASE", "addr", kWideAddress, MEMBER(scales[1].base)},
    {kU65, "NPU_SET_SCALE1_LENGTH", "length", {{0, 0}, {0xfffff, 0xfffff}}, MEMBER(scales[1].length)},
};

const std::vector<Block> kElementwise = {
    {kU55U65,
     "NPU_SET_IFM_PRECISION",
     "scale_mode",
     {{0, of(OperandScaling::kOpaOpb16)}, {1, of(OperandScaling::kOpa32)}, {2, of(OperandScaling::kOpb32)}},
     MEMBER(operand_scaling)},
    {kU55U65, "NPU_SET_IFM2_BROADCAST", "broadcast_h", kFlag, MEMBER(ifm2_broadcast.h)},
    {kU55U65, "NPU_SET_IFM2_BROADCAST", "broadcast_w", kFlag, MEMBER(ifm2_broadcast.w)},
    {kU55U65, "NPU_SET_IFM2_BROADCAST", "broadcast_c", kFlag, MEMBER(ifm2_broadcast.c)},
    {kU55U65, "NPU_SET_IFM2_BROADCAST", "broadcast_constant", kFlag, MEMBER(ifm2_broadcast.scalar)},
    {kU55U65, "NPU_SET_IFM2_BROADCAST", "operand_order", kFlag, MEMBER(operands_swapped)},
    {kU55U65, "NPU_SET_IFM2_SCALAR", "scalar", kSize, MEMBER(scalar)},
    {kU55U65, "NPU_SET_IFM2_IB_START", "ib_start", kBank, MEMBER(ib2_start)},
    {kU85,
     "NPU_SET_IFM_BROADCAST",
     "broadcast_mode",
     {{0, 0}, {1, 1}, {3, 1}, {5, 1}, {6, 0}, {7, 1}, {8, 0}},
     MEMBER(ifm_broadcast.h)},
    {kU85,
     "NPU_SET_IFM_BROADCAST",
     "broadcast_mode",
     {{0, 0}, {2, 1}, {3, 1}, {5, 0}, {6, 1}, {7, 1}, {8, 0}},
     MEMBER(ifm_broadcast.w)},
    {kU85,
     "NPU_SET_IFM_BROADCAST",
     "broadcast_mode",
     {{0, 0}, {3, 0}, {4, 1}, {5, 1}, {6, 1}, {7, 1}, {8, 0}},
     MEMBER(ifm_broadcast.c)},
    {kU85, "NPU_SET_IFM_BROADCAST", "broadcast_mode", {{0, 0}, {7, 0}, {8, 1}}, MEMBER(ifm_broadcast.scalar)},
    {kU85, "NPU_SET_IFM2_BROADCAST", "broadcast_mode", {{1, 1}, {2, 0}, {4, 0}, {7, 1}}, MEMBER(ifm2_broadcast.h)},
    {kU85, "NPU_SET_IFM2_BROADCAST", "broadcast_mode", {{1, 0}, {2, 1}, {4, 0}, {7, 1}}, MEMBER(ifm2_broadcast.w)},
    {kU85, "NPU_SET_IFM2_BROADCAST", "broadcast_mode", {{1, 0}, {2, 0}, {4, 1}, {7, 1}}, MEMBER(ifm2_broadcast.c)},
    {kU85, "NPU_SET_IFM2_BROADCAST", "broadcast_mode", {{7, 0}, {8, 1}}, MEMBER(ifm2_broadcast.scalar)},
    {kU85, "NPU_SET_OP_SCALAR", "scalar", {{1, 1}, {0x7fffffff, 0x7fffffff}, {0x80000000, INT32_MIN}}, MEMBER(scalar)},
};

const std::vector<Block> kResize = {
    {kU85, "NPU_SET_RESIZE_X_SCALE_N_M1", "resize_x_scale_n_m1", {{0, 1}, {2047, 2048}}, MEMBER(resize_step.n_x)},
    {kU85, "NPU_SET_RESIZE_Y_SCALE_N_M1", "resize_y_scale_n_m1", {{0, 1}, {2047, 2048}}, MEMBER(resize_step.n_y)},
    {kU85, "NPU_SET_RESIZE_X_OFFSET", "resize_x_offset", {{0x7ff, 2047}, {0x800, -2048}}, MEMBER(resize_step.offset_x)},
    {kU85, "NPU_SET_RESIZE_Y_OFFSET", "resize_y_offset", {{0x7ff, 2047}, {0x800, -2048}}, MEMBER(resize_step.offset_y)},
    {kU85, "NPU_SET_RESIZE_X", "one_step_int", {{0, 0}, {15, 15}}, MEMBER(resize_step.one_step_int_x)},
    {kU85, "NPU_SET_RESIZE_X", "blk_step_int", kStep, MEMBER(resize_step.blk_step_int_x)},
    {kU85, "NPU_SET_RESIZE_X", "one_step_mod", kStep, MEMBER(resize_step.one_step_mod_x)},
    {kU85, "NPU_SET_RESIZE_X", "blk_step_mod", kStep, MEMBER(resize_step.blk_step_mod_x)},
    {kU85, "NPU_SET_RESIZE_Y", "one_step_int", {{0, 0}, {15, 15}}, MEMBER(resize_step.one_step_int_y)},
    {kU85, "NPU_SET_RESIZE_Y", "blk_step_int", kStep, MEMBER(resize_step.blk_step_int_y)},
    {kU85, "NPU_SET_RESIZE_Y", "one_step_mod", kStep, MEMBER(resize_step.one_step_mod_y)},
    {kU85, "NPU_SET_RESIZE_Y", "blk_step_mod", kStep, MEMBER(resize_step.blk_step_mod_y)},
};

const std::vector<Dma> kJob = {
    {kAll, "NPU_SET_DMA0_SRC_REGION", "region", kRegion, MEMBER(src_region)},
    {kAll, "NPU_SET_DMA0_SRC_REGION", "region_mode", kFlag, MEMBER(src_internal)},
    {kU65U85, "NPU_SET_DMA0_SRC_REGION", "stride_mode", {{0, 1}, {1, 2}, {2, 3}}, MEMBER(dimensions)},
    {kU85, "NPU_SET_DMA0_SRC_REGION", "idx_mode", kFlag, MEMBER(src_indexed)},
    {kAll, "NPU_SET_DMA0_DST_REGION", "region", kRegion, MEMBER(dst_region)},
    {kAll, "NPU_SET_DMA0_DST_REGION", "region_mode", kFlag, MEMBER(dst_internal)},
    {kU85, "NPU_SET_DMA0_DST_REGION", "idx_mode", kFlag, MEMBER(dst_indexed)},
    {kAll, "NPU_SET_DMA0_SRC", "addr", kAddress, MEMBER(src)},
    {kAll, "NPU_SET_DMA0_DST", "addr", kAddress, MEMBER(dst)},
    {kAll, "NPU_SET_DMA0_LEN", "addr", {{1, 1}, {0xfffffff0, 0xfffffff0}}, MEMBER(len)},
    {kU85, "NPU_SET_DMA0_IDX", "addr", kWideAddress, MEMBER(idx)},
    {kU85, "NPU_SET_DMA0_IDX_REGION", "region", kRegion, MEMBER(idx_region)},
    {kU85, "NPU_SET_DMA0_IDX_MAX", "idx_max", kScale31, MEMBER(idx_max)},
};

const std::vector<Dma> kStrided = {
    {kU65U85, "NPU_SET_DMA0_SIZE0", "size", {{1, 1}, {kLast, kLast}}, MEMBER(size0)},
    {kU65U85, "NPU_SET_DMA0_SIZE1", "size", {{1, 1}, {kLast, kLast}}, MEMBER(size1)},
    {kU65, "NPU_SET_DMA0_SKIP0", "addr", kSigned40, MEMBER(skip0)},
    {kU65, "NPU_SET_DMA0_SKIP1", "addr", kSigned40, MEMBER(skip1)},
    {kU85, "NPU_SET_DMA0_SRC_STRIDE0", "addr", kSigned40, MEMBER(src_stride0)},
    {kU85, "NPU_SET_DMA0_SRC_STRIDE1", "addr", kSigned40, MEMBER(src_stride1)},
    {kU85, "NPU_SET_DMA0_DST_STRIDE0", "addr", kSigned40, MEMBER(dst_stride0)},
    {kU85, "NPU_SET_DMA0_DST_STRIDE1", "addr", kSigned40, MEMBER(dst_stride1)},
    {kU85, "NPU_SET_DMA0_IDX_SKIP1", "addr", kSigned40, MEMBER(idx_skip1)},
};
#undef MEMBER

struct RegisterWrite {
  std::string_view command;
  std::vector<FieldValue> fields;
};

template <class Operation>
Operation read(const Accelerator& accelerator, const std::vector<RegisterWrite>& writes) {
  RegisterFile registers(accelerator.family);
  std::vector<std::uint32_t> words;
  for (const auto& [name, fields] : writes) {
    const auto* row = find_command(accelerator.family, name);
    REQUIRE(row);
    const auto encoded = encode(*row, fields);
    REQUIRE(encoded);
    words.push_back(encoded->word0);
    if (row->words() == 2) words.push_back(encoded->payload);
  }
  const auto step = CommandParser(accelerator, words).next();
  if (!step) FAIL(step.error().to_string());
  return std::get<Operation>(step->action);
}

/// With registers that make it a legal operation, and one that is set after them. Where `field` stands in one of those,
/// the others of that register are 0.
template <class Operation>
void check(const std::vector<Field<Operation>>& fields, const std::vector<RegisterWrite>& legal,
           const RegisterWrite& command, std::initializer_list<const char*> accelerators) {
  for (const char* name : accelerators) {
    const auto& accelerator = *find_accelerator(name);
    for (const auto& field : fields) {
      if (!(field.families & family_set(accelerator.family))) continue;
      for (const auto& [code, expected] : field.values) {
        INFO(name << ' ' << field.command << ' ' << field.name << ' ' << code);
        auto writes = legal;
        RegisterWrite own{field.command, {}};
        for (const auto& write : legal)
          if (write.command == field.command) own.fields = write.fields;
        std::erase_if(own.fields, [&](const FieldValue& value) { return value.name == field.name; });
        own.fields.push_back({field.name, code});
        writes.push_back(own);
        writes.push_back(command);
        CHECK(field.member(read<Operation>(accelerator, writes)) == expected);
      }
    }
  }
}

const std::vector<RegisterWrite> kU85Block = {{"NPU_SET_ACC_FORMAT", {{"microblock", 1}}}};
const std::vector<RegisterWrite> kTransfer = {
    {"NPU_SET_DMA0_LEN", {{"addr", 16}}}, {"NPU_SET_DMA0_SIZE0", {{"size", 1}}}, {"NPU_SET_DMA0_SIZE1", {{"size", 1}}}};

}  // namespace

TEST_CASE("every field of a register fills its member with what it stands for", "[isa]") {
  for (const auto* fields : {&kWindow, &kValues}) {
    check(*fields, {}, {"NPU_OP_CONV", {}}, {"ethos-u55-128", "ethos-u65-512"});
    check(*fields, kU85Block, {"NPU_OP_CONV", {}}, {"ethos-u85-256"});
    check(*fields, {{"NPU_SET_ACC_FORMAT", {{"microblock", 3}}}}, {"NPU_OP_CONV", {}}, {"ethos-u85-2048"});
  }
  check(kDecoders, {{"NPU_SET_ACC_FORMAT", {{"microblock", 3}}}}, {"NPU_OP_CONV", {}},
        {"ethos-u85-1024", "ethos-u85-2048"});
  check(kTwoCores, {{"NPU_SET_PARALLEL_MODE", {{"parallel_mode", 1}}}}, {"NPU_OP_CONV", {}}, {"ethos-u65-512"});
  check(kElementwise, {}, {"NPU_OP_ELEMENTWISE", {}}, {"ethos-u55-128", "ethos-u65-512"});
  check(kElementwise, kU85Block, {"NPU_OP_ELEMENTWISE", {}}, {"ethos-u85-256"});
  check(kResize, kU85Block, {"NPU_OP_RESIZE", {}}, {"ethos-u85-256"});
  check(kJob, kTransfer, {"NPU_OP_DMA_START", {}}, {"ethos-u55-128", "ethos-u65-512", "ethos-u85-256"});
  auto strided = kTransfer;
  strided.push_back({"NPU_SET_DMA0_SRC_REGION", {{"stride_mode", 2}}});
  check(kStrided, strided, {"NPU_OP_DMA_START", {}}, {"ethos-u65-512", "ethos-u85-256"});
}
