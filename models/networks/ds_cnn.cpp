#include "models/models.hpp"
#include "models/quantized_layers.hpp"

namespace macaw::models {

/// Zhang et al., "Hello Edge: Keyword Spotting on Microcontrollers", DS-CNN small; as in MLPerf Tiny v1.0
/// (mlcommons/tiny, benchmark/training/keyword_spotting/keras_model.py).
tosa::Graph ds_cnn(const BuildOptions& options) {
  const std::int64_t channels = options.tiny ? 16 : 64;
  QuantizedLayers net(options.seed);
  auto x = net.input("mfcc", {1, 49, 10, 1});
  x = net.conv2d(x, channels, {{10, 4}, {2, 2}, {1, 1}, {4, 5, 1, 1}}, Fused::kRelu);
  for (int i = 0; i < (options.tiny ? 2 : 4); ++i) {
    x = net.depthwise_conv2d(x, same_window(net.shape(x), 3, 1), Fused::kRelu);
    x = net.conv2d(x, channels, {}, Fused::kRelu);
  }
  x = net.avg_pool2d(x, {{25, 5}, {1, 1}, {1, 1}, {}});
  x = net.reshape(net.fully_connected(x, 12), {1, 12});
  net.output(x, "logits");
  return net.graph();
}

}  // namespace macaw::models
