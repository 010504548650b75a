#pragma once
#include "models/graph_builder.hpp"
#include "models/random.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace macaw::models {

/// An int8 tensor, real = scale * (q - zero_point), and what it holds for the sample input.
struct Activation {
  tosa::ValueId value = 0;
  double scale = 1;
  std::int8_t zero_point = 0;
  std::shared_ptr<const Tensor> sample = {};
};

enum class Fused { kNone, kRelu, kRelu6 };

/// Weights and bias as constants of the graph, for layers that are applied more than once. The bias is in units of
/// input_scale * weight_scale: every input must have that scale.
struct Linear {
  tosa::ValueId weight = 0, bias = 0;
  std::vector<double> weight_scale;  ///< per output channel
  double input_scale = 1;
};

/// Layers of an int8 network in the form that TFLite and ExecuTorch lower to: convolution, RESCALE per channel, CLAMP;
/// arithmetic between RESCALEs to and from int32; functions as TABLEs. Weights are drawn from a seeded generator,
/// scaled by the fan-in. As in post-training quantisation, each layer is run on a sample as it is added, and what it
/// gives chooses the quantisation of its output.
class QuantizedLayers {
 public:
  explicit QuantizedLayers(std::uint64_t seed) : random_(seed), sample_random_(~seed) {}

  /// Values from -4 to 4 by steps of 1/32.
  Activation input(std::string name, Shape shape);
  void output(const Activation& a, std::string name) { builder_.output(a.value, std::move(name)); }
  Activation constant(Shape shape, const std::vector<double>& values);
  Activation zeros(Shape shape, double scale);
  /// The same values at another scale, zero point 0.
  Activation requantized(const Activation& in, double scale);

  Activation conv2d(const Activation& in, std::int64_t channels, const Window& window, Fused fused = Fused::kNone,
                    DType weights = DType::kINT8);
  Activation depthwise_conv2d(const Activation& in, const Window& window, Fused fused = Fused::kNone);
  /// Over the last axis of [1,1,N,C], as a 1x1 convolution.
  Activation fully_connected(const Activation& in, std::int64_t channels, Fused fused = Fused::kNone,
                             DType weights = DType::kINT8);
  Linear linear(const Activation& in, std::int64_t channels);
  Activation apply(const Linear& linear, const Activation& in);
  Activation matmul(const Activation& a, const Activation& b);  ///< [N,H,C] by [N,C,W]

  // Extents of 1 are broadcast.
  Activation add(const Activation& a, const Activation& b, Fused fused = Fused::kNone);
  Activation sub(const Activation& a, const Activation& b);
  Activation mul(const Activation& a, const Activation& b);
  Activation mean(const Activation& in, const std::vector<std::int64_t>& axes);
  Activation sum(const Activation& in, const std::vector<std::int64_t>& axes);
  Activation max(const Activation& in, std::int64_t axis);
  /// `function` of every element, quantised for the values that the sample takes.
  Activation table(const Activation& in, const std::function<double(double)>& function);

  Activation avg_pool2d(const Activation& in, const Window& window);
  /// Scores [1,classes] from the mean of each channel of [1,N,N,C].
  Activation classify(const Activation& in, std::int64_t classes);
  Activation max_pool2d(const Activation& in, const Window& window);
  Activation reshape(const Activation& in, Shape shape);
  Activation transpose(const Activation& in, std::vector<std::int64_t> perms);
  Activation slice(const Activation& in, Shape start, Shape size);
  /// Brings the inputs to one quantisation first.
  Activation concat(const std::vector<Activation>& inputs, std::int64_t axis);

  [[nodiscard]] const Shape& shape(const Activation& a) const { return builder_.shape(a.value); }
  [[nodiscard]] const tosa::Graph& graph() const { return builder_.graph(); }
  [[nodiscard]] Random& random() { return random_; }

 private:
  struct Weights {
    Tensor weight, bias;
    std::vector<double> scale;  ///< per output channel
  };
  /// An int32 tensor, real = scale * q, with one scale or one per channel.
  struct Accumulator {
    tosa::ValueId value;
    Tensor sample;
    std::vector<double> scale;
  };
  struct Range {
    double low = 0, high = 0;
  };
  Weights draw(DType type, Shape shape, std::size_t channel_axis, double fan_in, const Activation& in);
  /// Results of the most recently added operator for these samples.
  Tensor run_last(std::vector<Tensor> samples) const;
  Activation same_quantization(const Activation& in, tosa::ValueId value) const;
  Accumulator widen(const Activation& in, double unit);
  Accumulator accumulate(tosa::ValueId value, std::vector<Tensor> samples, std::vector<double> scale) const;
  Accumulator add_widened(const Activation& a, const Activation& b, bool subtract);
  Accumulator reduce(const Activation& in, const std::vector<std::int64_t>& axes);
  Activation rescale(tosa::ValueId value, const Tensor& sample, const std::vector<double>& scale, int input_zp,
                     Range range);
  Activation requantize(const Accumulator& accumulator, Fused fused = Fused::kNone);

  GraphBuilder builder_;
  Random random_, sample_random_;
};

}  // namespace macaw::models
