#include "models/models.hpp"
#include "models/quantized_layers.hpp"

namespace macaw::models {
namespace {

/// A 1x1 window of stride 2 leaves the last row and column over; TOSA wants no remainder, so they are cut off.
Activation without_remainder(QuantizedLayers& net, const Activation& x, std::int64_t stride) {
  const auto shape = net.shape(x);
  return stride == 1 ? x : net.slice(x, {0, 0, 0, 0}, {1, shape[1] - 1, shape[2] - 1, shape[3]});
}

}  // namespace

/// He et al., "Deep Residual Learning for Image Recognition", CVPR 2016, table 1, 50 layers; the stride stands on the
/// 3x3 convolution, as in torchvision ("v1.5") and MLPerf.
tosa::Graph resnet50(const BuildOptions& options) {
  constexpr std::int64_t kRepeats[] = {3, 4, 6, 3};
  const std::int64_t extent = options.tiny ? 64 : 224, narrowing = options.tiny ? 8 : 1;

  QuantizedLayers net(options.seed);
  auto x = net.input("image", {1, extent, extent, 3});
  x = net.conv2d(x, 64 / narrowing, {{7, 7}, {2, 2}, {1, 1}, {3, 2, 3, 2}}, Fused::kRelu);
  x = net.max_pool2d(x, {{3, 3}, {2, 2}, {1, 1}, {1, 0, 1, 0}});
  std::int64_t channels = 64 / narrowing;
  for (std::size_t stage = 0; stage < 4; ++stage, channels *= 2)
    for (std::int64_t i = 0; i < (options.tiny ? 1 : kRepeats[stage]); ++i) {
      const std::int64_t stride = i == 0 && stage > 0 ? 2 : 1;
      auto y = net.conv2d(x, channels, {}, Fused::kRelu);
      y = net.conv2d(y, channels, {{3, 3}, {stride, stride}, {1, 1}, {1, 2 - stride, 1, 2 - stride}}, Fused::kRelu);
      y = net.conv2d(y, 4 * channels, {});
      const auto shortcut =
          i == 0 ? net.conv2d(without_remainder(net, x, stride), 4 * channels, {{1, 1}, {stride, stride}, {1, 1}, {}})
                 : x;
      x = net.add(y, shortcut, Fused::kRelu);
    }
  net.output(net.classify(x, options.tiny ? 10 : 1000), "logits");
  return net.graph();
}

}  // namespace macaw::models
