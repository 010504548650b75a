#include "sim/datapath/execute.hpp"
#include "sim/datapath/conv.hpp"
#include "sim/datapath/elementwise.hpp"
#include "sim/datapath/layer_weights.hpp"
#include "sim/datapath/pool.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace macaw::npu {
namespace {

Result<ChannelScaling> channel_scaling(const BlockOperation& op, const MemoryMap& memory) {
  const int bits = accumulator_bits(op.acc_format);
  if (!op.has_scales()) {
    // A maximum that is not under the global scale is not scaled: OFM_SCALE holds what an earlier operation left.
    const bool unscaled = op.kind == OpKind::kPool && op.pool == PoolMode::kMax && op.scale_per_channel;
    return ChannelScaling(unscaled ? Scaling{} : op.ofm_scale, op.ofm.c, bits);
  }
  MACAW_ASSIGN(auto entries, load_scales(op, memory));
  if (!op.scale_per_channel) {
    for (auto& entry : entries) {
      entry.scale = op.ofm_scale.scale;
      entry.shift = op.ofm_scale.shift;
    }
  }
  return ChannelScaling(entries, op.ofm_scale.rounding, bits);
}

Result<void> check(const BlockOperation& op) {
  if (op.family == Family::kU85) return fail(ErrorCode::kUnsupported, "block operations of Ethos-U85");
  if (op.acc_format == AccFormat::kF16) return fail(ErrorCode::kUnsupported, "16-bit floating-point accumulators");
  const bool mac = op.kind == OpKind::kConv || op.kind == OpKind::kDepthwise;
  if (mac && op.ifm.bits > 16)
    return fail(ErrorCode::kHardwareFault, fmt::format("a convolution does not take a {}-bit IFM", op.ifm.bits));
  if ((op.kind == OpKind::kDepthwise || (op.kind == OpKind::kPool && op.pool != PoolMode::kReduceSum)) &&
      op.ifm.c != op.ofm.c)
    return fail(ErrorCode::kHardwareFault, fmt::format("IFM depth {} is not OFM depth {}", op.ifm.c, op.ofm.c));
  return {};
}

}  // namespace

std::int64_t work(const BlockOperation& op) {
  Int128 total = Int128{op.ofm.h} * op.ofm.w * op.ofm.c;
  if (op.kind != OpKind::kElementwise) total *= Int128{op.kernel.taps_y()} * op.kernel.taps_x();
  if (op.kind == OpKind::kConv || (op.kind == OpKind::kPool && op.pool == PoolMode::kReduceSum)) total *= op.ifm.c;
  return static_cast<std::int64_t>(std::min<Int128>(total, INT64_MAX));
}

Result<Footprint> execute(const BlockOperation& op, const Accelerator& accelerator, const MemoryMap& memory) {
  MACAW_CHECK(check(op));
  MACAW_ASSIGN(const auto ifm_bytes, bound_region(memory, op.ifm.region, false, "IFM"));
  MACAW_ASSIGN(const auto ofm_bytes, bound_region(memory, op.ofm.region, true, "OFM"));
  MACAW_ASSIGN(const auto ifm, FeatureMapView::create(op.ifm, ifm_bytes, "IFM"));
  MACAW_ASSIGN(const auto ofm, FeatureMapView::create(op.ofm, ofm_bytes, "OFM"));
  MACAW_ASSIGN(auto activation, ActivationStage::create(op, accelerator, memory));
  Footprint footprint{ifm.range(), {}, ofm.range()};
  OutputRows out(std::move(activation), ofm);

  switch (op.kind) {
    case OpKind::kConv:
    case OpKind::kDepthwise: {
      MACAW_ASSIGN(const auto scaling, channel_scaling(op, memory));
      MACAW_ASSIGN(const auto weights, load_weights(op, accelerator, memory));
      MACAW_CHECK(op.kind == OpKind::kConv ? convolve(op, ifm, weights, scaling, out)
                                           : convolve_depthwise(op, ifm, weights, scaling, out));
      return footprint;
    }
    case OpKind::kPool: {
      MACAW_ASSIGN(const auto scaling, channel_scaling(op, memory));
      MACAW_CHECK(pool(op, ifm, scaling, out));
      return footprint;
    }
    case OpKind::kElementwise: {
      if (!op.has_ifm2()) {
        MACAW_CHECK(elementwise(op, ifm, nullptr, out));
        return footprint;
      }
      MACAW_ASSIGN(const auto ifm2_bytes, bound_region(memory, op.ifm2.region, false, "IFM2"));
      MACAW_ASSIGN(const auto ifm2, FeatureMapView::create(op.ifm2, ifm2_bytes, "IFM2"));
      footprint.ifm2 = ifm2.range();
      MACAW_CHECK(elementwise(op, ifm, &ifm2, out));
      return footprint;
    }
    case OpKind::kResize: return fail(ErrorCode::kUnsupported, "RESIZE of Ethos-U85");
  }
  return fail(ErrorCode::kUnsupported, "an unknown kind of operation");
}

}  // namespace macaw::npu
