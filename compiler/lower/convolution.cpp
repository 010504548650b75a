#include "compiler/lower/convolution.hpp"

#include "compiler/generation.hpp"

#include <algorithm>
#include <cstdlib>

namespace macaw::npu {
namespace {

// Limits of what Vela sends to the NPU (SUPPORTED_OPS.md): a dilated kernel of at most 64 rows and 4096 elements.
constexpr std::int64_t kMaxKernelHeight = 64, kMaxKernelArea = 4096;
constexpr std::int64_t kMaxWeights = std::int64_t{1} << 28;
constexpr std::int64_t kMaxDilation = 2;

}  // namespace

Result<Weights> zero_weights(const Lowering& lowering, std::int64_t oc, std::int64_t kh, std::int64_t kw,
                             std::int64_t ic) {
  constexpr std::int64_t kMaxExtent = 65536;
  if (std::max({oc, kh, kw, ic}) > kMaxExtent || oc * kh > kMaxWeights || kw * ic > kMaxWeights ||
      oc * kh > kMaxWeights / (kw * ic))
    return lowering.unsupported("it has more than 2^28 weights");
  Weights w{oc, kh, kw, ic, {}};
  w.values.resize(static_cast<std::size_t>(oc * kh * kw * ic));
  return w;
}

void spell_out_dilation(Weights& w, std::array<std::int64_t, 2>& dilation, bool) {
  const auto step = [&](std::size_t axis) { return dilation[axis] > kMaxDilation ? dilation[axis] : 1; };
  const auto sy = step(0), sx = step(1);
  if (sy == 1 && sx == 1) return;
  Weights out{w.oc, (w.kh - 1) * sy + 1, (w.kw - 1) * sx + 1, w.ic, {}};
  out.values.resize(static_cast<std::size_t>(out.oc * out.kh * out.kw * out.ic));
  for (std::int64_t o = 0; o < w.oc; ++o)
    for (std::int64_t y = 0; y < w.kh; ++y)
      for (std::int64_t x = 0; x < w.kw; ++x)
        for (std::int64_t i = 0; i < w.ic; ++i) out.at(o, y * sy, x * sx, i) = w.at(o, y, x, i);
  w = std::move(out);
  for (auto& d : dilation)
    if (d > kMaxDilation) d = 1;
}

Result<Convolution> Convolution::create(Lowering& lowering, std::int64_t out_channels) {
  Convolution c(lowering);
  const auto& graph = lowering.graph;
  const auto op = lowering.op;
  MACAW_ASSIGN(c.ifm_, lowering.input(0));
  MACAW_ASSIGN(c.bias_, graph.integers(op, 2));
  MACAW_ASSIGN(const auto input_zp, graph.integer(op, 3));
  MACAW_ASSIGN(c.weight_zp_, graph.integer(op, 4));
  if (c.ifm_.bits > 16) return lowering.unsupported("the NPU convolves 8- and 16-bit feature maps only");
  c.ifm_ = c.ifm_.as(true, static_cast<std::int32_t>(input_zp));
  const auto result = lowering.current().outputs[0];
  MACAW_ASSIGN(c.tail_, lowering.tail(result, true));
  if (!c.tail_.rescale && lowering.dtype(result) == DType::kINT48 && !lowering.generation.units.has_int48)
    return lowering.unsupported(
        "U55 and U65 have no 48-bit feature maps: a convolution of INT16 must be followed by one RESCALE");
  MACAW_ASSIGN(c.ofm_, lowering.view(c.tail_.value));
  const auto& r = c.tail_.rescale;
  c.ofm_ = c.ofm_.as(!(r && r->output_unsigned), r && c.ofm_.bits <= 16 ? r->output_zp : 0);
  const auto channels = static_cast<std::size_t>(out_channels);
  if (c.bias_.size() == 1) c.bias_.resize(channels, c.bias_[0]);
  return c;
}

Result<std::shared_ptr<const LayerConstants>> Convolution::constants(Weights weights) const {
  auto out = std::make_shared<LayerConstants>();
  const auto& output = tail_.output;
  for (std::size_t c = 0; c < static_cast<std::size_t>(weights.oc); ++c) {
    const auto scale =
        output.per_channel.empty() ? ChannelScale{0, output.scale.scale, output.scale.shift} : output.per_channel[c];
    out->scales.push_back({bias_[c], scale.scale, scale.shift});
  }
  if (ifm_.bits == 16 &&
      !lowering_->generation.holds_sums(weights.values, std::span(bias_).first(static_cast<std::size_t>(weights.oc))))
    return lowering_->unsupported("its sums do not fit the 40-bit accumulators of U55 and U65");
  out->weights = std::move(weights.values);
  return std::shared_ptr<const LayerConstants>(std::move(out));
}

Result<void> Convolution::add(const std::shared_ptr<const LayerConstants>& constants, const Weights& w,
                              const std::array<std::int64_t, 2>& dilation, bool depthwise, const StorageView& ofm,
                              const StorageView& ifm, const WindowPiece& y, const WindowPiece& x) const {
  auto proto = lowering_->block(depthwise ? OpKind::kDepthwise : OpKind::kConv);
  lowering_->set_output(proto, ofm, tail_.output);
  proto.scale_per_channel = true;
  auto& k = proto.kernel;
  k.height = static_cast<int>((w.kh - 1) * dilation[0] + 1);
  k.width = static_cast<int>((w.kw - 1) * dilation[1] + 1);
  k.dilation_y = w.kh == 1 ? 1 : static_cast<int>(dilation[0]);
  k.dilation_x = w.kw == 1 ? 1 : static_cast<int>(dilation[1]);
  if (k.height > kMaxKernelHeight || std::int64_t{k.height} * k.width > kMaxKernelArea)
    return lowering_->unsupported("the dilated kernel exceeds 64 rows or 4096 elements");
  MACAW_CHECK(set_window(*lowering_, k, y, x));
  k.part_kernel_first = !depthwise && lowering_->generation.prefers_part_kernel(w.ic, w.kh * w.kw, ifm.bits);
  if (ifm.bits == 16) proto.acc_format = lowering_->generation.units.wide_accumulators;
  return lowering_->add(std::move(proto), output_part(ofm, y, x), input_part(ifm, y, x), nullptr, constants,
                        &tail_.output);
}

}  // namespace macaw::npu
