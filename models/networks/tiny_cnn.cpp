#include "models/models.hpp"
#include "models/quantized_layers.hpp"

namespace macaw::models {

tosa::Graph tiny_cnn(const BuildOptions& options) {
  QuantizedLayers net(options.seed);
  auto x = net.input("image", {1, 32, 32, 3});
  x = net.conv2d(x, 16, same_window(net.shape(x), 3, 2), Fused::kRelu);
  const auto shortcut = x;
  x = net.depthwise_conv2d(x, same_window(net.shape(x), 3, 1), Fused::kRelu6);
  x = net.conv2d(x, 16, {}, Fused::kNone);
  x = net.add(x, shortcut, Fused::kRelu);
  x = net.conv2d(x, 24, same_window(net.shape(x), 3, 2), Fused::kRelu);
  x = net.avg_pool2d(x, {{2, 2}, {2, 2}, {1, 1}, {}});
  x = net.reshape(x, {1, 1, 1, 4 * 4 * 24});
  x = net.fully_connected(x, 10);
  x = net.reshape(x, {1, 10});
  net.output(x, "logits");
  return net.graph();
}

}  // namespace macaw::models
