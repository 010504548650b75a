#include "compiler/generation.hpp"
#include "compiler/passes.hpp"

#include "sim/datapath/bits.hpp"
#include "sim/datapath/generation.hpp"
#include "sim/datapath/weight_order.hpp"
#include "sim/datapath/weight_stream.hpp"

#include <map>
#include <tuple>

namespace macaw::npu {
namespace {

constexpr std::size_t kStreamAlignment = 16;

Stream append(std::vector<std::uint8_t>& constants, const std::vector<std::uint8_t>& bytes) {
  if (bytes.empty()) return {};
  const Stream stream{kConstantRegion, constants.size(),
                      (bytes.size() + kStreamAlignment - 1) / kStreamAlignment * kStreamAlignment};
  constants.insert(constants.end(), bytes.begin(), bytes.end());
  constants.resize(static_cast<std::size_t>(stream.base + stream.length));
  return stream;
}

/// Parameters of an operation's streams other than the weights themselves.
using Key = std::tuple<const LayerConstants*, OpKind, int, int, int, int, int, int, bool, AccFormat>;

Key key_of(const Layer& layer) {
  const auto& b = layer.block;
  return {layer.constants.get(),
          b.kind,
          b.block.c,
          b.ublock.c,
          b.ifm.bits,
          b.kernel.dilation_y,
          b.kernel.dilation_x + 16 * b.kernel.stride_y,
          b.kernel.stride_x,
          b.kernel.part_kernel_first,
          b.acc_format};
}

struct Streams {
  std::array<Stream, 4> weights{};
  std::array<Stream, 2> scales{};
};

std::vector<std::uint8_t> scale_stream(const Layer& layer, std::size_t core, std::size_t cores) {
  const auto& block = layer.block;
  const auto format = datapath::generation(block.family).scale_format(block);
  std::vector<std::uint8_t> bytes;
  const auto& scales = layer.constants->scales;
  // Channels alternate between the cores, for scales as for weights.
  for (std::size_t c = core; c < scales.size(); c += cores) encode_scale(bytes, scales[c], format);
  const auto own = bytes.size() / kScaleEntryBytes;
  bytes.resize(compiler::generation(block.family).scale_entries(block, own) * kScaleEntryBytes);
  return bytes;
}

Result<Streams> encode(const Layer& layer, Network& network) {
  const auto& accelerator = *network.accelerator;
  Streams streams;
  const auto cores = static_cast<std::size_t>(accelerator.cores);
  for (std::size_t core = 0; core < cores; ++core)
    streams.scales[core] = append(network.constants, scale_stream(layer, core, cores));
  if (layer.constants->weights.empty()) return streams;
  MACAW_ASSIGN(const auto geometry, weight_geometry(layer.block, accelerator));
  for (int s = 0; s < geometry.streams; ++s) {
    MACAW_ASSIGN(const auto ordered, order_weights(geometry, s, layer.constants->weights));
    if (ordered.empty()) continue;  // a core that has no channel
    MACAW_ASSIGN(const auto stream, encode_weight_stream(ordered));
    streams.weights[static_cast<std::size_t>(s)] = append(network.constants, stream);
  }
  return streams;
}

}  // namespace

Result<void> encode_constants(Network& network) {
  std::map<Key, Streams> done;
  for (auto& step : network.steps) {
    auto* layer = std::get_if<Layer>(&step);
    if (!layer || !layer->constants) continue;
    const auto [at, added] = done.try_emplace(key_of(*layer));
    if (added) {
      MACAW_ASSIGN(at->second, encode(*layer, network));
    }
    layer->block.weights = at->second.weights;
    layer->block.scales = at->second.scales;
  }
  return {};
}

}  // namespace macaw::npu
