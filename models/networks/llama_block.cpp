#include "models/blocks.hpp"
#include "models/models.hpp"

#include <cmath>

namespace macaw::models {
namespace {

constexpr double kRopeTheta = 500000;
constexpr double kMasked = -8;  // beyond the range of the scores, small enough not to spoil their quantisation

/// Rotary position embedding of [N,T,D], halves rotated against each other.
Activation rotate(QuantizedLayers& net, const Activation& x) {
  const auto shape = net.shape(x);
  const auto tokens = shape[1], width = shape[2], half = width / 2;
  std::vector<double> cosines, sines;
  for (std::int64_t t = 0; t < tokens; ++t)
    for (std::int64_t i = 0; i < width; ++i) {
      const double angle =
          static_cast<double>(t) * std::pow(kRopeTheta, -static_cast<double>(i % half) / static_cast<double>(half));
      cosines.push_back(std::cos(angle));
      sines.push_back(i < half ? -std::sin(angle) : std::sin(angle));
    }
  const auto first = net.slice(x, {0, 0, 0}, {shape[0], tokens, half});
  const auto second = net.slice(x, {0, 0, half}, {shape[0], tokens, half});
  return net.add(net.mul(x, net.constant({1, tokens, width}, cosines)),
                 net.mul(net.concat({second, first}, 2), net.constant({1, tokens, width}, sines)));
}

/// Tokens see themselves and what came before; `groups` query heads stand one after the other.
Activation causal_mask(QuantizedLayers& net, std::int64_t groups, std::int64_t tokens) {
  std::vector<double> mask;
  for (std::int64_t row = 0; row < groups * tokens; ++row)
    for (std::int64_t s = 0; s < tokens; ++s) mask.push_back(s > row % tokens ? kMasked : 0);
  return net.constant({1, groups * tokens, tokens}, mask);
}

}  // namespace

/// Llama 3.2 1B (meta-llama, config.json): 2048 wide, 32 heads of 64 with 8 key-value heads, 8192 inside, SwiGLU,
/// RMSNorm, rotary positions. Weights are int4.
tosa::Graph llama_block(const BuildOptions& options) {
  const std::int64_t tokens = options.tiny ? 4 : 16, head = options.tiny ? 8 : 64, heads = options.tiny ? 4 : 32,
                     kv_heads = options.tiny ? 2 : 8, width = heads * head, inside = 4 * width;
  QuantizedLayers net(options.seed);
  const auto linear = [&](const Activation& x, std::int64_t channels) {
    return net.fully_connected(x, channels, Fused::kNone, DType::kINT4);
  };

  auto x = net.input("hidden", {1, 1, tokens, width});
  const auto normed = rms_norm(net, x);
  // The query heads that share a key-value head become rows of one matrix.
  const auto q = net.reshape(rotate(net, split_heads(net, linear(normed, width), heads)),
                             {kv_heads, heads / kv_heads * tokens, head});
  const auto k = rotate(net, split_heads(net, linear(normed, kv_heads * head), kv_heads));
  const auto v = split_heads(net, linear(normed, kv_heads * head), kv_heads);
  const auto mask = causal_mask(net, heads / kv_heads, tokens);
  const auto attended = net.reshape(attention(net, q, k, v, &mask), {heads, tokens, head});
  x = net.add(x, linear(merge_heads(net, attended), width));

  const auto second = rms_norm(net, x);
  const auto gated = net.mul(silu(net, linear(second, inside)), linear(second, inside));
  x = net.add(x, linear(gated, width));
  net.output(x, "hidden_out");
  return net.graph();
}

}  // namespace macaw::models
