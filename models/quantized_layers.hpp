#pragma once
#include "models/graph_builder.hpp"
#include "models/random.hpp"

#include <cstdint>
#include <string>

namespace macaw::models {

/// An int8 feature map, real = scale * (q - zero_point), with what is expected of the real values: mean and root mean
/// square. Layers choose the quantisation of their output from these, so that it is used well and hardly saturates.
struct Activation {
  tosa::ValueId value = 0;
  double scale = 1;
  std::int8_t zero_point = 0;
  double mean = 0, rms = 1;
};

enum class Fused { kNone, kRelu, kRelu6 };

/// Layers of an int8 network in the form that TFLite and ExecuTorch lower to: convolution, RESCALE per channel, CLAMP.
/// Weights are drawn from a seeded generator, scaled by the fan-in.
class QuantizedLayers {
 public:
  explicit QuantizedLayers(std::uint64_t seed) : random_(seed) {}

  /// Values with mean 0 and root mean square 1 over [-4, 4).
  Activation input(std::string name, Shape shape);
  void output(const Activation& a, std::string name) { builder_.output(a.value, std::move(name)); }

  Activation conv2d(const Activation& in, std::int64_t channels, const Window& window, Fused fused);
  Activation depthwise_conv2d(const Activation& in, const Window& window, Fused fused);
  /// A 1x1 convolution of a [1,1,1,C] map.
  Activation fully_connected(const Activation& in, std::int64_t channels);
  /// Operands rescaled to int32 with 20 bits of headroom, added, rescaled back.
  Activation add(const Activation& a, const Activation& b, Fused fused);
  Activation avg_pool2d(const Activation& in, const Window& window);
  Activation max_pool2d(const Activation& in, const Window& window);
  Activation reshape(const Activation& in, Shape shape);

  [[nodiscard]] const Shape& shape(const Activation& a) const { return builder_.shape(a.value); }
  [[nodiscard]] const tosa::Graph& graph() const { return builder_.graph(); }

 private:
  struct Weights {
    Tensor weight, bias;
    std::vector<double> scale;  ///< per output channel
  };
  Weights draw(Shape shape, std::int64_t channels, std::size_t channel_axis, double fan_in, const Activation& in);
  Activation requantize(tosa::ValueId accumulator, const std::vector<double>& scale, double mean, double rms, Fused fused);

  GraphBuilder builder_;
  Random random_;
};

}  // namespace macaw::models
