#pragma once
#include "sim/compile/graph_view.hpp"
#include "sim/compile/network.hpp"

#include <array>
#include <cstdint>
#include <vector>

// Lowering: groups of TOSA operators become layers with the arithmetic of the NPU.
namespace macaw::npu {

/// Arguments of RESCALE, checked: multipliers not negative, shifts in [2, 62], both lists of one length.
struct RescaleArguments {
  std::vector<std::uint32_t> multiplier;
  std::vector<int> shift;
  std::int32_t input_zp = 0, output_zp = 0;
  tosa::RoundingMode rounding = tosa::RoundingMode::kSingleRound;
  DType input{}, output{};

  /// Double rounding differs from single rounding only for shifts above 31 (TOSA, apply_scale_32).
  [[nodiscard]] bool doubles(std::size_t i) const;
  /// The NPU's rounding mode for this RESCALE as an output stage.
  [[nodiscard]] Rounding hardware_rounding() const;
};
[[nodiscard]] Result<RescaleArguments> rescale_arguments(const GraphView& graph, std::size_t op);

/// State of the pass over the operators.
struct Lowering {
  Lowering(const GraphView& g, Network& n) : graph(g), network(n), tensor_of(g.block().values.size(), -1) {
    taken.resize(g.block().operators.size());
  }
  const GraphView& graph;
  Network& network;
  std::vector<int> tensor_of;   ///< by value: index in Network::tensors, or -1
  std::vector<bool> taken;      ///< by operator: part of a layer already

  /// The tensor of an INT8 value; made on first use. `op` is named in errors.
  [[nodiscard]] Result<int> tensor(tosa::ValueId id, std::size_t op);
  /// A layer with family, micro-block, feature map types and the clamp to int8 set.
  [[nodiscard]] Layer layer(std::size_t op, OpKind kind) const;
  /// The only consumer of a value, if it is of this kind.
  [[nodiscard]] std::optional<std::size_t> follower(tosa::ValueId id, tosa::Op kind) const;
  /// Merges CLAMPs that alone follow `id` into the layer's activation; returns the value after the last of them.
  [[nodiscard]] Result<tosa::ValueId> absorb_clamps(tosa::ValueId id, Layer& layer);
  /// Adds a layer whose result is `output` (before any CLAMP that follows it).
  [[nodiscard]] Result<void> finish(Layer layer, tosa::ValueId output, std::size_t op);
};

/// Kernel of a convolution or pooling window within the limits of U55/U65: strides up to 3, dilation up to 2, padding
/// registers of 7 and 8 bits. `taps` and `dilation` are [y, x].
[[nodiscard]] Result<Kernel> window_kernel(const GraphView& graph, std::size_t op, std::array<int, 2> taps,
                                           std::array<int, 2> dilation);

[[nodiscard]] Result<void> lower_conv(Lowering& lowering, std::size_t op);       ///< CONV2D, DEPTHWISE_CONV2D
[[nodiscard]] Result<void> lower_avg_pool(Lowering& lowering, std::size_t op);
[[nodiscard]] Result<void> lower_max_pool(Lowering& lowering, std::size_t op);
[[nodiscard]] Result<void> lower_rescale(Lowering& lowering, std::size_t op);    ///< INT8 to INT8; operands of ADD wait
[[nodiscard]] Result<void> lower_clamp(Lowering& lowering, std::size_t op);
[[nodiscard]] Result<void> lower_add(Lowering& lowering, std::size_t op);
[[nodiscard]] Result<void> lower_reshape(Lowering& lowering, std::size_t op);

/// The whole main block. kUnsupported names the operator and the reason.
[[nodiscard]] Result<Network> lower(const tosa::Graph& graph, const Accelerator& accelerator);

}  // namespace macaw::npu
