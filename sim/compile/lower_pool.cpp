#include "sim/compile/lower.hpp"

#include <bit>

namespace macaw::npu {
namespace {

constexpr int kMaxStride = 3, kMaxDilation = 2;
constexpr int kMaxPadBefore = 127, kMaxPadAfter = 255;
// Pooling windows that Vela sends to U55 and U65 (SUPPORTED_OPS.md): 256 x 256 without padding, 8 x 8 averages with it.
constexpr int kMaxPool = 256, kMaxPaddedAverage = 8;

/// TOSA's reciprocal_scale: multiplier and shift that divide by `value`.
Scaling reciprocal(std::uint32_t value) {
  const int k = 32 - std::countl_zero(value - 1);
  const std::uint64_t numerator = ((std::uint64_t{1} << 30) + 1) << k;
  return {.scale = static_cast<std::uint32_t>(numerator / value), .shift = 30 + k, .rounding = Rounding::kNatural};
}

Result<Layer> pool_layer(Lowering& lowering, std::size_t index, PoolMode mode) {
  const auto& graph = lowering.graph;
  const auto& op = graph.op(index);
  if (op.inputs.empty() || op.outputs.size() != 1)
    return fail(ErrorCode::kInvalidGraph, "pooling has an input and an output", {.op = graph.place(index)});
  auto layer = lowering.layer(index, OpKind::kPool);
  layer.op.pool = mode;
  MACAW_ASSIGN(layer.ifm, lowering.tensor(op.inputs[0], index));
  MACAW_ASSIGN(const auto taps, graph.list(index, tosa::Attr::k_kernel, 2, 1));
  if (taps[0] > kMaxPool || taps[1] > kMaxPool) return graph.unsupported(index, "the window exceeds 256 x 256");
  MACAW_ASSIGN(layer.op.kernel, window_kernel(graph, index, {taps[0], taps[1]}, {1, 1}));
  return layer;
}

}  // namespace

Result<Kernel> window_kernel(const GraphView& graph, std::size_t index, std::array<int, 2> taps,
                             std::array<int, 2> dilation) {
  MACAW_ASSIGN(const auto stride, graph.list(index, tosa::Attr::k_stride, 2, 1));
  MACAW_ASSIGN(const auto pad, graph.list(index, tosa::Attr::k_pad, 4, 0));
  for (std::size_t i = 0; i < 2; ++i) {
    if (stride[i] > kMaxStride) return graph.unsupported(index, "a stride exceeds 3");
    if (taps[i] == 1) dilation[i] = 1;
    if (dilation[i] > kMaxDilation) return graph.unsupported(index, "a dilation exceeds 2");
  }
  if (pad[0] > kMaxPadBefore || pad[2] > kMaxPadBefore || pad[1] > kMaxPadAfter || pad[3] > kMaxPadAfter)
    return graph.unsupported(index, "padding exceeds its registers");
  Kernel k;
  k.height = (taps[0] - 1) * dilation[0] + 1;
  k.width = (taps[1] - 1) * dilation[1] + 1;
  k.stride_y = stride[0];
  k.stride_x = stride[1];
  k.dilation_y = dilation[0];
  k.dilation_x = dilation[1];
  k.pad_top = pad[0];
  k.pad_bottom = pad[1];
  k.pad_left = pad[2];
  k.pad_right = pad[3];
  return k;
}

Result<void> lower_avg_pool(Lowering& lowering, std::size_t index) {
  const auto& graph = lowering.graph;
  MACAW_ASSIGN(auto layer, pool_layer(lowering, index, PoolMode::kAverage));
  MACAW_ASSIGN(const auto input_zp, graph.integer(index, 1));
  MACAW_ASSIGN(const auto output_zp, graph.integer(index, 2));
  layer.op.ifm.zero_point = static_cast<std::int32_t>(input_zp);
  layer.op.ofm.zero_point = static_cast<std::int32_t>(output_zp);
  const auto& k = layer.op.kernel;
  if (k.pad_top || k.pad_bottom || k.pad_left || k.pad_right) {
    // The NPU divides by the number of taps inside the map, as TOSA does; its constants have one bit more than TOSA's,
    // which no sum of int8 values in such a window can tell apart.
    if (k.height > kMaxPaddedAverage || k.width > kMaxPaddedAverage)
      return graph.unsupported(index, "a padded average exceeds 8 x 8");
  } else {
    layer.op.ofm_scale = reciprocal(static_cast<std::uint32_t>(k.height * k.width));
  }
  return lowering.finish(std::move(layer), graph.op(index).outputs[0], index);
}

Result<void> lower_max_pool(Lowering& lowering, std::size_t index) {
  MACAW_ASSIGN(auto layer, pool_layer(lowering, index, PoolMode::kMax));
  return lowering.finish(std::move(layer), lowering.graph.op(index).outputs[0], index);
}

}  // namespace macaw::npu
