#include "models/blocks.hpp"
#include "models/models.hpp"

namespace macaw::models {

tosa::Graph softmax(const BuildOptions& options) {
  QuantizedLayers net(options.seed);
  net.output(softmax(net, net.input("logits", {1, options.tiny ? 10 : 1000})), "probabilities");
  return net.graph();
}

/// The first residual sum of ResNet-50.
tosa::Graph add(const BuildOptions& options) {
  QuantizedLayers net(options.seed);
  const Shape shape = options.tiny ? Shape{1, 8, 8, 16} : Shape{1, 56, 56, 256};
  const auto a = net.input("a", shape), b = net.input("b", shape);
  net.output(net.add(a, b), "sum");
  return net.graph();
}

}  // namespace macaw::models
