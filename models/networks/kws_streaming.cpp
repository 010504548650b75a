#include <algorithm>

#include "models/models.hpp"
#include "models/step_layers.hpp"

namespace macaw::models {
namespace {

constexpr double kFrameHidden = 1.0 / 16;

/// The last `kernel` frames of x, one of which is new; the others are state.
Fixed window_of(StepLayers& net, const Fixed& frame, const std::string& name, std::int64_t kernel) {
  const auto channels = net.shape(frame)[3];
  const auto before = net.state(name, {1, kernel - 1, 1, channels}, frame.scale);
  const auto window = net.concat({before, frame}, 1);
  net.set_state(name, net.slice(window, {0, 1, 0, 0}, {1, kernel - 1, 1, channels}));
  return window;
}

Fixed convolution_over_time(StepLayers& net, const Fixed& frame, const std::string& name, std::int64_t kernel,
                            std::int64_t channels) {
  const Window window{{kernel, 1}, {1, 1}, {1, 1}, {}};
  const auto x = net.convolution(window_of(net, frame, name, kernel), channels, window, 1.4, kFrameHidden);
  return net.table(x, [](double v) { return std::max(v, 0.0); }, kFrameHidden);
}

}  // namespace

/// Convolutions over time that keep the frames they need again (Rybakov et al., "Streaming keyword spotting on mobile
/// devices", Interspeech 2020): one frame of 40 features a step, 12 words.
tosa::Graph kws_streaming(const BuildOptions& options) {
  const std::int64_t features = options.tiny ? 8 : 40, channels = options.tiny ? 16 : 64, layers = options.tiny ? 2 : 4,
                     pooled = options.tiny ? 4 : 16, words = 12;
  StepLayers net(options.seed, options.form == "variable");
  auto x = net.input("frame", {1, 1, 1, features}, 1.0 / 32);
  for (std::int64_t layer = 0; layer < layers; ++layer)
    x = convolution_over_time(net, x, "frames" + std::to_string(layer), layer == 0 ? 5 : 9, channels);
  const auto last = window_of(net, x, "features", pooled);
  const auto mean = net.sum(last, 1, 1 / static_cast<double>(pooled), kFrameHidden);
  net.output(net.reshape(net.linear(mean, words, 2, kFrameHidden), {1, words}), "scores");
  return net.finish(options.scales);
}

}  // namespace macaw::models
