#include "models/blocks.hpp"

#include <cmath>

namespace macaw::models {
namespace {

constexpr double kEpsilon = 1e-5;

Activation reciprocal_root(QuantizedLayers& net, const Activation& variance) {
  // Rounding can take the variance of a flat row to 0, whose root would use up the range of the table.
  const double least = std::max(kEpsilon, variance.scale);
  return net.table(variance, [least](double v) { return 1 / std::sqrt(std::max(v, least)); });
}

/// Per-channel constant around `centre`, shaped to broadcast over x.
Activation per_channel(QuantizedLayers& net, const Activation& x, double centre) {
  Shape shape(net.shape(x).size(), 1);
  shape.back() = net.shape(x).back();
  std::vector<double> values;
  for (std::int64_t c = 0; c < shape.back(); ++c)
    values.push_back(centre + static_cast<double>(net.random().between(-200, 200)) / 1000);
  return net.constant(std::move(shape), values);
}

Activation normalized(QuantizedLayers& net, const Activation& x, const std::vector<std::int64_t>& axes) {
  const auto centred = net.sub(x, net.mean(x, axes));
  const auto variance = net.mean(net.mul(centred, centred), axes);
  return net.mul(centred, reciprocal_root(net, variance));
}

Activation affine(QuantizedLayers& net, const Activation& x) {
  return net.add(net.mul(x, per_channel(net, x, 1)), per_channel(net, x, 0));
}

std::int64_t last_axis(const QuantizedLayers& net, const Activation& x) {
  return static_cast<std::int64_t>(net.shape(x).size()) - 1;
}

}  // namespace

Activation sigmoid(QuantizedLayers& net, const Activation& x) {
  return net.table(x, [](double v) { return 1 / (1 + std::exp(-v)); });
}

Activation tanh(QuantizedLayers& net, const Activation& x) {
  return net.table(x, [](double v) { return std::tanh(v); });
}

Activation silu(QuantizedLayers& net, const Activation& x) {
  return net.table(x, [](double v) { return v / (1 + std::exp(-v)); });
}

Activation gelu(QuantizedLayers& net, const Activation& x) {
  return net.table(x, [](double v) { return v / 2 * (1 + std::erf(v / std::sqrt(2.0))); });
}

Activation softmax(QuantizedLayers& net, const Activation& x) {
  const auto axis = last_axis(net, x);
  const auto e = net.table(net.sub(x, net.max(x, axis)), [](double v) { return std::exp(v); });
  const auto inverse = net.table(net.sum(e, {axis}), [](double v) { return 1 / std::max(v, 1.0); });
  return net.mul(e, inverse);
}

Activation layer_norm(QuantizedLayers& net, const Activation& x) {
  return affine(net, normalized(net, x, {last_axis(net, x)}));
}

Activation rms_norm(QuantizedLayers& net, const Activation& x) {
  const auto scale = reciprocal_root(net, net.mean(net.mul(x, x), {last_axis(net, x)}));
  return net.mul(net.mul(x, scale), per_channel(net, x, 1));
}

Activation group_norm(QuantizedLayers& net, const Activation& x, std::int64_t groups) {
  const auto shape = net.shape(x);
  const auto grouped = net.reshape(x, {1, shape[1] * shape[2], groups, shape[3] / groups});
  return affine(net, net.reshape(normalized(net, grouped, {3, 1}), shape));
}

Activation split_heads(QuantizedLayers& net, const Activation& x, std::int64_t heads) {
  const auto shape = net.shape(x);
  return net.transpose(net.reshape(x, {shape[2], heads, shape[3] / heads}), {1, 0, 2});
}

Activation merge_heads(QuantizedLayers& net, const Activation& x) {
  const auto shape = net.shape(x);
  return net.reshape(net.transpose(x, {1, 0, 2}), {1, 1, shape[1], shape[0] * shape[2]});
}

Activation attention(QuantizedLayers& net, const Activation& q, const Activation& k, const Activation& v,
                     const Activation* mask) {
  auto scores = net.matmul(q, net.transpose(k, {0, 2, 1}));
  // The scores' quantisation takes in the division by sqrt(D).
  scores.scale /= std::sqrt(static_cast<double>(net.shape(q)[2]));
  if (mask != nullptr) scores = net.add(scores, *mask);
  return net.matmul(softmax(net, scores), v);
}

}  // namespace macaw::models
