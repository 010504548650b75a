#include "sim/compile/passes.hpp"

#include "sim/datapath/weight_order.hpp"
#include "sim/datapath/weight_stream.hpp"

namespace macaw::npu {
namespace {

constexpr std::size_t kAlignment = 16;

Stream append(std::vector<std::uint8_t>& constants, const std::vector<std::uint8_t>& bytes) {
  if (bytes.empty()) return {};
  const Stream stream{kConstantRegion, constants.size(), (bytes.size() + kAlignment - 1) / kAlignment * kAlignment};
  constants.insert(constants.end(), bytes.begin(), bytes.end());
  constants.resize(static_cast<std::size_t>(stream.base + stream.length));
  return stream;
}

}  // namespace

Result<void> encode_constants(Network& network) {
  for (auto& layer : network.layers) {
    if (layer.weights.empty()) continue;
    MACAW_ASSIGN(const auto geometry, weight_geometry(layer.op, *network.accelerator));
    const auto cores = static_cast<std::size_t>(network.accelerator->cores);
    for (std::size_t core = 0; core < cores; ++core) {
      // Channels alternate between the cores, in the scales as in the weights.
      std::vector<std::uint8_t> scales;
      for (std::size_t c = core; c < layer.scales.size(); c += cores)
        encode_scale(scales, layer.scales[c], ScaleFormat::kBias40Scale32);
      layer.op.scales[core] = append(network.constants, scales);
      if (core >= static_cast<std::size_t>(layer.op.ofm.c)) continue;
      MACAW_ASSIGN(const auto ordered, order_weights(geometry, static_cast<int>(core), layer.weights));
      MACAW_ASSIGN(const auto stream, encode_weight_stream(ordered));
      layer.op.weights[core] = append(network.constants, stream);
    }
  }
  return {};
}

}  // namespace macaw::npu
