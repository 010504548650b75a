#include <macaw/npu/operation.hpp>

namespace macaw::npu {

bool is_unary(ElementwiseMode mode) {
  switch (mode) {
    case ElementwiseMode::kLrelu:
    case ElementwiseMode::kAbs:
    case ElementwiseMode::kClz:
    case ElementwiseMode::kNot: return true;
    default: return false;
  }
}

bool BlockOperation::has_ifm2() const {
  if (kind == OpKind::kElementwise) return !is_unary(elementwise) && !ifm2_broadcast.scalar;
  return weights_from_ifm2 || acc_input == AccInput::kIfm2;
}

bool BlockOperation::has_weights() const {
  return kind == OpKind::kDepthwise || (kind == OpKind::kConv && !weights_from_ifm2);
}

bool BlockOperation::divides_by_valid_taps() const {
  if (kind != OpKind::kPool || pool != PoolMode::kAverage) return false;
  const bool padded = kernel.pad_top || kernel.pad_left || kernel.pad_bottom || kernel.pad_right;
  return padded || traits(family).always_counts_taps;
}

bool BlockOperation::has_scales() const {
  switch (kind) {
    case OpKind::kConv: return !weights_from_ifm2 || scale_per_channel;
    case OpKind::kDepthwise: return true;
    case OpKind::kPool: {
      // An average that divides by the number of valid taps derives its multiplier from the window (u55_u65 6.3).
      // Vela's Python core leaves a maximum on PER_CHANNEL without a stream: U55 and U65 do not scale it then.
      const bool unscaled = pool == PoolMode::kMax && !traits(family).scales_maximum;
      return scale_per_channel && !divides_by_valid_taps() && !unscaled && scales[0].length > 0;
    }
    case OpKind::kElementwise:
    case OpKind::kResize: return false;
  }
  return false;
}

int BlockOperation::upscaled_h() const {
  return (ofm.h - 1) * kernel.stride_y + kernel.height - kernel.pad_top - kernel.pad_bottom;
}

int BlockOperation::upscaled_w() const {
  return (ofm.w - 1) * kernel.stride_x + kernel.width - kernel.pad_left - kernel.pad_right;
}

}  // namespace macaw::npu
