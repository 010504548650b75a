#pragma once
#include <macaw/error.hpp>
#include <macaw/npu/accelerator.hpp>

#include <array>
#include <cstdint>
#include <variant>

/// Decoded operations: the register file when an NPU_OP_* was parsed, in the hardware's terms.
namespace macaw::npu {

enum class Layout : std::uint8_t { kNHWC, kNHCWB16 };
enum class Storage : std::uint8_t { kTile2x2, kTile3x1, kChained, kNone };  ///< U85; U55/U65 are always kTile2x2

/// IFM, IFM2 or OFM as its registers describe it.
struct FeatureMap {
  int region = 0;  ///< or chain-buffer index when storage is kChained
  Layout layout = Layout::kNHWC;
  Storage storage = Storage::kTile2x2;
  bool is_signed = false;
  int bits = 8;                                           ///< 8, 16, 32 or 64
  std::int32_t zero_point = 0;                            ///< sign- or zero-extended following is_signed
  std::array<std::uint64_t, 4> base{};                    ///< byte offsets of the four tiles in the region
  std::int64_t stride_x = 0, stride_y = 0, stride_c = 0;  ///< bytes; may be negative
  int width0 = 0, height0 = 0, height1 = 0;               ///< tile extents (register + 1)
  int h = 0, w = 0, c = 0;  ///< elements touched: OFM from registers, IFM and IFM2 implied by the operation
  [[nodiscard]] int bytes() const { return bits / 8; }
};

enum class OpKind : std::uint8_t { kConv, kDepthwise, kPool, kElementwise, kResize };
enum class PoolMode : std::uint8_t { kMax, kAverage, kReduceSum, kSum, kNone, kMin, kArgMaxX, kArgMaxY };
enum class ElementwiseMode : std::uint8_t {
  kMul = 0,
  kAdd = 1,
  kSub = 2,
  kMin = 3,
  kMax = 4,
  kLrelu = 5,
  kAbs = 6,
  kClz = 7,
  kShr = 8,
  kShl = 9,
  kLsr = 10,
  kDiv = 11,
  kCmpEq = 16,
  kCmpNe = 17,
  kCmpGe = 18,
  kCmpGt = 19,
  kAnd = 33,
  kOr = 34,
  kXor = 35,
  kNot = 36,
  kAndNot = 42,
};
[[nodiscard]] bool is_unary(ElementwiseMode mode);
enum class ResizeFilter : std::uint8_t { kBilinear, kReplicate, kNearest };
enum class Upscale : std::uint8_t { kNone, kNearest, kZeros };

/// Rounding of the right shift after a multiplication; both families' codes map onto these (u55_u65 5.2, u85 5.2).
enum class Rounding : std::uint8_t {
  kDoubleSymmetric,
  kNatural,
  kDoubleAsymmetric,
  kSymmetric,
  kTruncateToZero,
  kTruncateToLower
};
struct Scaling {
  std::uint32_t scale = 1;
  int shift = 0;
  Rounding rounding = Rounding::kDoubleSymmetric;
  int dbl = 0;  ///< U85 dbl_rnd
};

struct Kernel {
  int height = 1, width = 1;  ///< dilated extents (register + 1)
  int stride_y = 1, stride_x = 1;
  int dilation_y = 1, dilation_x = 1;
  int pad_top = 0, pad_left = 0, pad_bottom = 0, pad_right = 0;
  bool part_kernel_first = false;
  int decomposition = 8;  ///< sub-kernel extent, 8 or 4
  [[nodiscard]] int taps_y() const { return (height - 1) / dilation_y + 1; }
  [[nodiscard]] int taps_x() const { return (width - 1) / dilation_x + 1; }
};

enum class ActivationFunction : std::uint8_t { kNone, kTanh, kSigmoid, kTable };
/// U85 table forms; U55/U65 derive the form from the OFM precision.
enum class TableForm : std::uint8_t { kFromOfm, kU8U8, kS8S8, kS8S16, kS8S32, kS16S16, kS16S32, kTanh, kSigmoid };
enum class ClipRange : std::uint8_t { kOfmPrecision, kForceUint8, kForceInt8, kForceInt16, kNone };
struct Activation {
  ActivationFunction function = ActivationFunction::kNone;
  TableForm form = TableForm::kFromOfm;
  int table = 0;  ///< table index
  ClipRange clip = ClipRange::kOfmPrecision;
  std::uint16_t min = 0, max = 0;  ///< raw register values; signedness follows the clamped type
};

/// A byte range of a weight or scale stream. length 0: the stream is absent.
struct Stream {
  int region = 0;
  std::uint64_t base = 0;
  std::uint64_t length = 0;
};

struct Broadcast {
  bool h = false, w = false, c = false;
  bool scalar = false;  ///< U55/U65 broadcast_constant, U85 SCALAR
};

enum class AccFormat : std::uint8_t { kI32, kI40, kI48, kF16 };
enum class AccInput : std::uint8_t { kReset, kKeep, kIfm2 };
/// U55/U65 IFM_PRECISION.scale_mode.
enum class OperandScaling : std::uint8_t { kOpaOpb16, kOpa32, kOpb32 };

/// CONV, DEPTHWISE, POOL, ELEMENTWISE or RESIZE with everything it reads from the register file.
struct BlockOperation {
  Family family = Family::kU55;
  OpKind kind = OpKind::kConv;
  PoolMode pool = PoolMode::kMax;
  ElementwiseMode elementwise = ElementwiseMode::kAdd;
  ResizeFilter resize = ResizeFilter::kBilinear;
  bool weights_from_ifm2 = false;  ///< U85 matmul

  FeatureMap ifm, ifm2, ofm;
  Upscale upscale = Upscale::kNone;
  Kernel kernel;
  Hwc block;  ///< OFM_BLK_*, not clipped to the OFM

  std::array<Stream, 4> weights{};  ///< per core (U65) or weight decoder (U85)
  std::array<Stream, 2> scales{};   ///< per core
  bool fast_weights = false, sparse_weights = false;
  bool scale_per_channel = false;            ///< OFM_PRECISION.scale_mode == PER_CHANNEL
  Scaling ofm_scale, ifm_scale, ifm2_scale;  ///< U55/U65: ifm_scale is OPA_SCALE, ifm2_scale.scale OPB_SCALE
  OperandScaling operand_scaling = OperandScaling::kOpaOpb16;
  bool operands_swapped = false;  ///< U55/U65 operand_order == ORDER_A: computes IFM2 op IFM
  Broadcast ifm_broadcast, ifm2_broadcast;
  std::int64_t scalar = 0;  ///< IFM2_SCALAR (extended following IFM2's type) or OP_SCALAR

  AccFormat acc_format = AccFormat::kI32;
  AccInput acc_input = AccInput::kReset;
  bool acc_output = true;  ///< false: accumulators are kept, nothing is written
  Hwc ublock;              ///< U85 ACC_FORMAT.microblock; U55/U65 from the accelerator
  Activation activation;
  int reverse = 0, transpose = 0;  ///< U85 raw codes of OFM_PRECISION
  bool dual_core = false;          ///< U65 PARALLEL_MODE
  int blockdep = 0;
  int ib_end = 0, ib2_start = 0, ab_start = 0;  ///< U55/U65 SHRAM layout, bank numbers

  struct Resize {
    int n_x = 1, n_y = 1;  ///< numerators (register + 1)
    int offset_x = 0, offset_y = 0;
    int one_step_int_x = 0, one_step_mod_x = 0, one_step_int_y = 0, one_step_mod_y = 0;
    int blk_step_int_x = 0, blk_step_mod_x = 0, blk_step_int_y = 0, blk_step_mod_y = 0;
  } resize_step;

  [[nodiscard]] bool has_ifm2() const;     ///< reads a second feature map from memory or chain buffer
  [[nodiscard]] bool has_weights() const;  ///< consumes a weight stream
  [[nodiscard]] bool has_scales() const;   ///< consumes a bias/scale stream
  /// Whether an AVERAGE pool divides by the number of taps inside the IFM instead of all taps of the window.
  [[nodiscard]] bool divides_by_valid_taps() const;
  /// Padded, upscaled IFM extents implied by the OFM: (OH-1)*SY + KH - PAD_TOP - PAD_BOTTOM, likewise for the width.
  /// Below 1 if every tap is padding; ifm.h or ifm.w is then 0.
  [[nodiscard]] int upscaled_h() const;
  [[nodiscard]] int upscaled_w() const;
};

/// DMA_START with the DMA0_* registers.
struct DmaOperation {
  Family family = Family::kU55;
  int src_region = 0, dst_region = 0, idx_region = 0;
  bool src_internal = false, dst_internal = false;  ///< SHRAM (U55/U65) or LUT RAM (U85)
  int dimensions = 1;
  bool src_indexed = false, dst_indexed = false;
  std::uint64_t src = 0, dst = 0, len = 0, idx = 0;
  std::uint32_t size0 = 1, size1 = 1;
  std::int64_t skip0 = 0, skip1 = 0;                                                               ///< U65
  std::int64_t src_stride0 = 0, src_stride1 = 0, dst_stride0 = 0, dst_stride1 = 0, idx_skip1 = 0;  ///< U85
  std::uint32_t idx_max = 0;
};

}  // namespace macaw::npu
