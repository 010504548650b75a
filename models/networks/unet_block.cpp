#include "models/blocks.hpp"
#include "models/models.hpp"

namespace macaw::models {
namespace {

/// ResnetBlock2D of diffusers: normalisation, SiLU, 3x3 convolution, twice, the time embedding added in between.
Activation residual(QuantizedLayers& net, const Activation& x, const Activation& time, std::int64_t channels,
                    std::int64_t groups) {
  const auto window = same_window(net.shape(x), 3, 1);
  auto h = net.conv2d(silu(net, group_norm(net, x, groups)), channels, window);
  h = net.add(h, net.fully_connected(silu(net, time), channels));
  h = net.conv2d(silu(net, group_norm(net, h, groups)), channels, window);
  return net.add(h, net.conv2d(x, channels, {}));
}

/// Multi-head attention of `tokens` to `context`, both [1,1,N,C].
Activation attend(QuantizedLayers& net, const Activation& tokens, const Activation& context, std::int64_t heads) {
  const auto width = net.shape(tokens)[3];
  const auto q = split_heads(net, net.fully_connected(tokens, width), heads);
  const auto k = split_heads(net, net.fully_connected(context, width), heads);
  const auto v = split_heads(net, net.fully_connected(context, width), heads);
  return net.fully_connected(merge_heads(net, attention(net, q, k, v)), width);
}

/// BasicTransformerBlock of diffusers: self-attention, cross-attention to the text, GEGLU.
Activation transformer(QuantizedLayers& net, Activation x, const Activation& text, std::int64_t heads) {
  const auto tokens = net.shape(x)[2], width = net.shape(x)[3], inside = 4 * width;
  auto normed = layer_norm(net, x);
  x = net.add(x, attend(net, normed, normed, heads));
  x = net.add(x, attend(net, layer_norm(net, x), text, heads));
  const auto both = net.fully_connected(layer_norm(net, x), 2 * inside);
  const auto value = net.slice(both, {0, 0, 0, 0}, {1, 1, tokens, inside});
  const auto gate = gelu(net, net.slice(both, {0, 0, 0, inside}, {1, 1, tokens, inside}));
  return net.add(x, net.fully_connected(net.mul(value, gate), width));
}

}  // namespace

/// First block of the second level of Stable Diffusion 1.5's UNet (runwayml, unet/config.json): 32x32 latents, 320 to
/// 640 channels, 8 heads, 77 text tokens of 768, time embedding of 1280.
tosa::Graph unet_block(const BuildOptions& options) {
  const bool tiny = options.tiny;
  const std::int64_t extent = tiny ? 4 : 32, in_channels = tiny ? 16 : 320, channels = tiny ? 32 : 640,
                     groups = tiny ? 4 : 32, heads = tiny ? 2 : 8;
  QuantizedLayers net(options.seed);
  const auto latent = net.input("latent", {1, extent, extent, in_channels});
  const auto time = net.input("time", {1, 1, 1, tiny ? 24 : 1280});
  const auto text = net.input("text", {1, 1, tiny ? 5 : 77, tiny ? 24 : 768});

  const auto x = residual(net, latent, time, channels, groups);
  auto tokens = net.reshape(net.conv2d(group_norm(net, x, groups), channels, {}), {1, 1, extent * extent, channels});
  tokens = transformer(net, tokens, text, heads);
  const auto map = net.reshape(tokens, {1, extent, extent, channels});
  net.output(net.add(x, net.conv2d(map, channels, {})), "latent_out");
  return net.graph();
}

}  // namespace macaw::models
