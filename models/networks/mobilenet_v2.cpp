#include "models/models.hpp"
#include "models/quantized_layers.hpp"

namespace macaw::models {

/// Sandler et al., "MobileNetV2: Inverted Residuals and Linear Bottlenecks", CVPR 2018, table 2; TFLite's padding.
tosa::Graph mobilenet_v2(const BuildOptions& options) {
  struct Stage {
    std::int64_t expansion, channels, repeats, stride;
  };
  constexpr Stage kStages[] = {{1, 16, 1, 1}, {6, 24, 2, 2},  {6, 32, 3, 2}, {6, 64, 4, 2},
                               {6, 96, 3, 1}, {6, 160, 3, 2}, {6, 320, 1, 1}};
  const std::int64_t extent = options.tiny ? 64 : 224, narrowing = options.tiny ? 8 : 1;

  QuantizedLayers net(options.seed);
  auto x = net.input("image", {1, extent, extent, 3});
  x = net.conv2d(x, 32 / narrowing, same_window(net.shape(x), 3, 2), Fused::kRelu6);
  for (const auto& stage : kStages)
    for (std::int64_t i = 0; i < (options.tiny ? std::min<std::int64_t>(stage.repeats, 2) : stage.repeats); ++i) {
      const auto shortcut = x;
      const auto in_channels = net.shape(x)[3], stride = i == 0 ? stage.stride : 1;
      if (stage.expansion != 1) x = net.conv2d(x, in_channels * stage.expansion, {}, Fused::kRelu6);
      x = net.depthwise_conv2d(x, same_window(net.shape(x), 3, stride), Fused::kRelu6);
      x = net.conv2d(x, stage.channels / narrowing, {});
      if (stride == 1 && in_channels == stage.channels / narrowing) x = net.add(x, shortcut);
    }
  x = net.conv2d(x, 1280 / narrowing, {}, Fused::kRelu6);
  net.output(net.classify(x, options.tiny ? 10 : 1000), "logits");
  return net.graph();
}

}  // namespace macaw::models
