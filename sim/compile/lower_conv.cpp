#include "sim/compile/lower.hpp"

namespace macaw::npu {
namespace {

// Limits of the kernel registers and of what the compiler sends through them (Vela, OPTIONS.md and SUPPORTED_OPS.md):
// a dilated kernel of at most 64 rows and 4096 elements.
constexpr int kMaxKernelHeight = 64, kMaxKernelArea = 4096;
constexpr std::int64_t kMaxWeights = std::int64_t{1} << 28;

/// Whether taking a kernel element at a time uses the multipliers better than going through the depth first. Depth-first
/// works on 32 input channels, part-kernel on 8 channels and 4 kernel elements (16-bit input: 16, and 2).
bool prefers_part_kernel(int ifm_depth, int taps, int ifm_bits) {
  if (ifm_depth <= 8) return true;
  const std::int64_t depth_step = ifm_bits == 8 ? 32 : 16, tap_step = ifm_bits == 8 ? 4 : 2;
  const auto up = [](std::int64_t v, std::int64_t m) { return (v + m - 1) / m * m; };
  return taps * up(ifm_depth, depth_step) > up(ifm_depth, 8) * up(taps, tap_step);
}

}  // namespace

Result<void> lower_conv(Lowering& lowering, std::size_t index) {
  const auto& graph = lowering.graph;
  const auto& op = graph.op(index);
  const bool depthwise = op.op == tosa::Op::kDEPTHWISE_CONV2D;
  if (op.inputs.size() != 5 || op.outputs.size() != 1)
    return fail(ErrorCode::kInvalidGraph, "a convolution has five inputs and one output", {.op = graph.place(index)});
  const auto rescale_index = lowering.follower(op.outputs[0], tosa::Op::kRESCALE);
  if (!rescale_index) return graph.unsupported(index, "a convolution must be followed by one RESCALE");
  MACAW_ASSIGN(const auto rescale, rescale_arguments(graph, *rescale_index));
  if (rescale.input != DType::kINT32 || rescale.output != DType::kINT8)
    return graph.unsupported(*rescale_index, "a convolution is rescaled from INT32 to INT8");

  auto layer = lowering.layer(index, depthwise ? OpKind::kDepthwise : OpKind::kConv);
  MACAW_ASSIGN(layer.ifm, lowering.tensor(op.inputs[0], index));
  const auto ifm = lowering.network.tensors[layer.ifm];
  MACAW_ASSIGN(const Tensor* weight, graph.constant(index, 1));
  if (weight->dtype() != DType::kINT8 || weight->rank() != 4 || weight->size() == 0 || weight->size() > kMaxWeights)
    return graph.unsupported(index, "the weights are not an INT8 tensor of rank 4");
  MACAW_ASSIGN(const auto bias, graph.integers(index, 2));
  MACAW_ASSIGN(const auto input_zp, graph.integer(index, 3));
  MACAW_ASSIGN(const auto weight_zp, graph.integer(index, 4));
  const auto data = weight->data<std::int8_t>();
  const auto& extents = weight->shape();
  for (const auto e : extents)
    if (e > 65536) return graph.unsupported(index, "a weight extent is above 65536");

  const int kh = static_cast<int>(extents[depthwise ? 0 : 1]), kw = static_cast<int>(extents[depthwise ? 1 : 2]);
  const int taps = kh * kw;
  const int in_channels = static_cast<int>(extents[depthwise ? 2 : 3]);
  const auto out_channels = depthwise ? extents[2] * extents[3] : extents[0];
  if (in_channels != ifm.c || out_channels > 65536)
    return fail(ErrorCode::kInvalidGraph, "the weights do not fit the input", {.op = graph.place(index)});
  const auto value = [&](std::int64_t i) {
    return static_cast<std::int16_t>(data[static_cast<std::size_t>(i)] - weight_zp);
  };
  if (!depthwise) {
    layer.weights.reserve(data.size());
    for (std::int64_t i = 0; i < weight->size(); ++i) layer.weights.push_back(value(i));
  } else {
    // [KH,KW,C,M] to one kernel per output channel. DEPTHWISE has as many output as input channels; a multiplier makes
    // it a convolution whose other weights are zero.
    const auto multiplier = extents[3];
    const bool dense = multiplier != 1;
    if (dense) layer.op.kind = OpKind::kConv;
    const std::int64_t depth = dense ? in_channels : 1;
    if (out_channels * taps * depth > kMaxWeights) return graph.unsupported(index, "the depth multiplier is too large");
    layer.weights.assign(static_cast<std::size_t>(out_channels * taps * depth), 0);
    for (std::int64_t o = 0; o < out_channels; ++o)
      for (std::int64_t t = 0; t < taps; ++t)
        layer.weights[static_cast<std::size_t>((o * taps + t) * depth + (dense ? o / multiplier : 0))] =
            value(t * out_channels + o);
  }

  MACAW_ASSIGN(const auto dilation, graph.list(index, tosa::Attr::k_dilation, 2, 1));
  MACAW_ASSIGN(layer.op.kernel, window_kernel(graph, index, {kh, kw}, {dilation[0], dilation[1]}));
  if (layer.op.kernel.height > kMaxKernelHeight ||
      std::int64_t{layer.op.kernel.height} * layer.op.kernel.width > kMaxKernelArea)
    return graph.unsupported(index, "the dilated kernel exceeds 64 rows or 4096 elements");
  layer.op.kernel.part_kernel_first =
      layer.op.kind == OpKind::kConv && prefers_part_kernel(in_channels, taps, ifm.bits());

  const auto channels = static_cast<std::size_t>(out_channels);
  const auto fits = [&](std::size_t n) { return n == 1 || n == channels; };
  if (!fits(bias.size()) || !fits(rescale.multiplier.size()))
    return fail(ErrorCode::kInvalidGraph, "bias or multipliers do not fit the channels", {.op = graph.place(index)});
  for (std::size_t c = 0; c < channels; ++c) {
    const auto r = rescale.multiplier.size() == 1 ? 0 : c;
    layer.scales.push_back({bias[bias.size() == 1 ? 0 : c], rescale.multiplier[r], rescale.shift[r]});
  }
  layer.op.scale_per_channel = true;
  layer.op.ofm_scale.rounding = rescale.hardware_rounding();
  layer.op.ifm.zero_point = static_cast<std::int32_t>(input_zp);
  layer.op.ofm.zero_point = rescale.output_zp;
  lowering.taken[*rescale_index] = true;
  return lowering.finish(std::move(layer), graph.op(*rescale_index).outputs[0], index);
}

}  // namespace macaw::npu
