#include "models/blocks.hpp"
#include "models/models.hpp"

namespace macaw::models {
namespace {

struct Shapes {
  std::int64_t frames, features, units;
};

/// 40 mel bands of 16 frames into 128 units, a usual size in keyword spotting.
Shapes shapes(const BuildOptions& options) { return options.tiny ? Shapes{3, 8, 16} : Shapes{16, 40, 128}; }

Activation frame(QuantizedLayers& net, const Activation& frames, std::int64_t t) {
  return net.slice(frames, {0, 0, t, 0}, {1, 1, 1, net.shape(frames)[3]});
}

/// The n-th of the gates that one fully connected layer computes side by side.
Activation gate(QuantizedLayers& net, const Activation& gates, std::int64_t n, std::int64_t units) {
  return net.slice(gates, {0, 0, 0, n * units}, {1, 1, 1, units});
}

/// An all-zero state in the quantisation that tanh gives, [-1, 1): weights shared over time need one input scale.
constexpr double kStateScale = 1.0 / 128;

}  // namespace

/// Cho et al., "Learning Phrase Representations using RNN Encoder-Decoder", EMNLP 2014, in Keras's form with
/// reset_after=True.
tosa::Graph gru(const BuildOptions& options) {
  const auto [frames, features, units] = shapes(options);
  QuantizedLayers net(options.seed);
  const auto x = net.input("frames", {1, 1, frames, features});
  auto h = net.zeros({1, 1, 1, units}, kStateScale);
  const auto kernel = net.linear(x, 3 * units), recurrent = net.linear(h, 3 * units);
  for (std::int64_t t = 0; t < frames; ++t) {
    const auto in = net.apply(kernel, frame(net, x, t)), state = net.apply(recurrent, h);
    const auto sum_of = [&](std::int64_t n) { return net.add(gate(net, in, n, units), gate(net, state, n, units)); };
    const auto update = sigmoid(net, sum_of(0)), reset = sigmoid(net, sum_of(1));
    const auto candidate = tanh(net, net.add(gate(net, in, 2, units), net.mul(reset, gate(net, state, 2, units))));
    // z * h + (1 - z) * n = n + z * (h - n)
    h = net.requantized(net.add(candidate, net.mul(update, net.sub(h, candidate))), kStateScale);
  }
  net.output(h, "state");
  return net.graph();
}

/// Hochreiter and Schmidhuber, "Long Short-Term Memory", 1997, with forget gates; gates in Keras's order i, f, c, o.
tosa::Graph lstm(const BuildOptions& options) {
  const auto [frames, features, units] = shapes(options);
  QuantizedLayers net(options.seed);
  const auto x = net.input("frames", {1, 1, frames, features});
  auto h = net.zeros({1, 1, 1, units}, kStateScale), c = h;
  const auto kernel = net.linear(x, 4 * units), recurrent = net.linear(h, 4 * units);
  for (std::int64_t t = 0; t < frames; ++t) {
    const auto gates = net.add(net.apply(kernel, frame(net, x, t)), net.apply(recurrent, h));
    const auto at = [&](std::int64_t n) { return gate(net, gates, n, units); };
    const auto input = sigmoid(net, at(0)), forget = sigmoid(net, at(1)), output = sigmoid(net, at(3));
    c = net.add(net.mul(forget, c), net.mul(input, tanh(net, at(2))));
    h = net.requantized(net.mul(output, tanh(net, c)), kStateScale);
  }
  net.output(h, "state");
  return net.graph();
}

}  // namespace macaw::models
