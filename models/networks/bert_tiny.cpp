#include "models/blocks.hpp"
#include "models/models.hpp"

namespace macaw::models {

/// Turc et al., "Well-Read Students Learn Better", BERT-tiny: 2 layers, 128 wide, 2 heads, 512 inside. The input is
/// what the embedding gives, which stays on the CPU.
tosa::Graph bert_tiny(const BuildOptions& options) {
  const std::int64_t tokens = options.tiny ? 8 : 128, width = options.tiny ? 32 : 128, heads = 2;
  QuantizedLayers net(options.seed);
  auto x = layer_norm(net, net.input("embedded", {1, 1, tokens, width}));
  for (int layer = 0; layer < (options.tiny ? 1 : 2); ++layer) {
    const auto q = split_heads(net, net.fully_connected(x, width), heads);
    const auto k = split_heads(net, net.fully_connected(x, width), heads);
    const auto v = split_heads(net, net.fully_connected(x, width), heads);
    const auto attended = net.fully_connected(merge_heads(net, attention(net, q, k, v)), width);
    x = layer_norm(net, net.add(x, attended));
    const auto inside = gelu(net, net.fully_connected(x, 4 * width));
    x = layer_norm(net, net.add(x, net.fully_connected(inside, width)));
  }
  net.output(x, "encoded");
  return net.graph();
}

}  // namespace macaw::models
