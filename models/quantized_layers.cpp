#include "models/quantized_layers.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>

#include "models/sample.hpp"

namespace macaw::models {
namespace {

constexpr double kBiasDeviation = 0.25;
/// Room beyond what the sample reaches, as a share of it.
constexpr double kHeadroom = 0.05;

std::shared_ptr<const Tensor> shared(Tensor tensor) { return std::make_shared<const Tensor>(std::move(tensor)); }

/// The quantisation whose int8 range covers `low` to `high` and 0.
Activation quantization(double low, double high) {
  low = std::min(low, 0.0) * (1 + kHeadroom);
  high = std::max(high, 0.0) * (1 + kHeadroom);
  Activation a;
  a.scale = std::max(high - low, 1e-6) / 255;
  a.zero_point = static_cast<std::int8_t>(std::clamp(std::floor(-128 - low / a.scale + 0.5), -128.0, 127.0));
  return a;
}

double mean_of(const Activation& a) {
  const auto data = a.sample->data<std::int8_t>();
  const auto sum = std::accumulate(data.begin(), data.end(), std::int64_t{0});
  return (static_cast<double>(sum) / static_cast<double>(data.size()) - a.zero_point) * a.scale;
}

}  // namespace

Tensor QuantizedLayers::run_last(std::vector<Tensor> samples) const {
  return run_operator(graph(), graph().main().operators.size() - 1, std::move(samples));
}

Activation QuantizedLayers::input(std::string name, Shape shape) {
  Activation a;
  Tensor sample(DType::kINT8, shape);
  fill_smooth(sample, sample_random_);
  a.value = builder_.input(std::move(name), DType::kINT8, std::move(shape));
  a.scale = 1.0 / 32;
  a.sample = shared(std::move(sample));
  return a;
}

Activation QuantizedLayers::constant(Shape shape, const std::vector<double>& values) {
  Activation a;
  double largest = 1e-6;
  for (const double v : values) largest = std::max(largest, std::abs(v));
  a.scale = largest / 127;
  std::vector<std::int8_t> quantized;
  for (const double v : values) quantized.push_back(static_cast<std::int8_t>(std::floor(v / a.scale + 0.5)));
  auto tensor = int8_tensor(std::move(shape), quantized);
  a.sample = shared(tensor);
  a.value = builder_.constant(std::move(tensor));
  return a;
}

Activation QuantizedLayers::zeros(Shape shape, double scale) {
  Tensor tensor(DType::kINT8, std::move(shape));
  Activation a{0, scale, 0, shared(tensor)};
  a.value = builder_.constant(std::move(tensor));
  return a;
}

QuantizedLayers::Weights QuantizedLayers::draw(DType type, Shape shape, std::size_t channel_axis, double fan_in,
                                               const Activation& in) {
  Weights w;
  // The scale gives real weights the variance 1 / fan_in, a little different per channel as in trained networks.
  const std::int64_t deviation = type == DType::kINT4 ? 3 : 32, limit = type == DType::kINT4 ? 7 : 127;
  const auto channels = shape[channel_axis];
  for (std::int64_t c = 0; c < channels; ++c)
    w.scale.push_back(static_cast<double>(random_.between(700, 1300)) / 1000 / std::sqrt(fan_in) /
                      static_cast<double>(deviation));
  Tensor weight(type, std::move(shape));
  for (auto& v : weight.data<std::int8_t>()) v = static_cast<std::int8_t>(random_.normal(deviation, limit));
  // A weighted sum over the input's mean would push channels to their bounds: the bias takes it back.
  const auto extents = weight.shape();
  std::int64_t inner = 1;
  for (std::size_t i = channel_axis + 1; i < extents.size(); ++i) inner *= extents[i];
  std::vector<std::int64_t> sums(static_cast<std::size_t>(channels));
  const auto values = weight.data<std::int8_t>();
  for (std::size_t i = 0; i < values.size(); ++i)
    sums[i / static_cast<std::size_t>(inner) % static_cast<std::size_t>(channels)] += values[i];
  std::vector<std::int32_t> bias;
  const double mean = mean_of(in);
  for (std::size_t c = 0; c < sums.size(); ++c) {
    const double drawn = static_cast<double>(random_.normal(1 << 12, 1 << 14)) / (1 << 12) * kBiasDeviation;
    const double centre = static_cast<double>(sums[c]) * w.scale[c] * mean;
    bias.push_back(static_cast<std::int32_t>(std::floor((drawn - centre) / (w.scale[c] * in.scale) + 0.5)));
  }
  w.bias = int32_tensor({channels}, bias);
  w.weight = std::move(weight);
  return w;
}

Activation QuantizedLayers::rescale(tosa::ValueId value, const Tensor& sample, const std::vector<double>& scale,
                                    int input_zp, Range range) {
  auto out = quantization(range.low, range.high);
  Rescale rescale;
  for (const double s : scale) append_scale(rescale, s / out.scale);
  rescale.input_zp = input_zp;
  rescale.output_zp = out.zero_point;
  out.value = builder_.rescale(value, DType::kINT8, rescale);
  out.sample = shared(run_last({sample}));
  return out;
}

Activation QuantizedLayers::requantize(const Accumulator& accumulator, Fused fused) {
  Range range;
  const auto values = accumulator.sample.data<std::int32_t>();
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double real = values[i] * accumulator.scale[i % accumulator.scale.size()];
    range.low = std::min(range.low, real);
    range.high = std::max(range.high, real);
  }
  if (fused != Fused::kNone) range.low = 0;
  if (fused == Fused::kRelu6) range.high = std::min(range.high, 6.0);
  auto out = rescale(accumulator.value, accumulator.sample, accumulator.scale, 0, range);
  if (fused == Fused::kNone) return out;
  double high = 127;
  if (fused == Fused::kRelu6) high = std::min(high, std::floor(out.zero_point + 6 / out.scale + 0.5));
  out.value = builder_.clamp(out.value, out.zero_point, static_cast<std::int8_t>(high));
  out.sample = shared(run_last({*out.sample}));
  return out;
}

QuantizedLayers::Accumulator QuantizedLayers::accumulate(tosa::ValueId value, std::vector<Tensor> samples,
                                                         std::vector<double> scale) const {
  return {value, run_last(std::move(samples)), std::move(scale)};
}

Activation QuantizedLayers::conv2d(const Activation& in, std::int64_t channels, const Window& window, Fused fused,
                                   DType weights) {
  const auto depth = shape(in)[3];
  const double fan_in = static_cast<double>(window.kernel[0] * window.kernel[1] * depth);
  auto w = draw(weights, {channels, window.kernel[0], window.kernel[1], depth}, 0, fan_in, in);
  const auto acc = builder_.conv2d(in.value, std::move(w.weight), std::move(w.bias), window, in.zero_point);
  for (auto& s : w.scale) s *= in.scale;
  return requantize(accumulate(acc, {*in.sample}, std::move(w.scale)), fused);
}

Activation QuantizedLayers::depthwise_conv2d(const Activation& in, const Window& window, Fused fused) {
  const auto depth = shape(in)[3];
  const double fan_in = static_cast<double>(window.kernel[0] * window.kernel[1]);
  auto w = draw(DType::kINT8, {window.kernel[0], window.kernel[1], depth, 1}, 2, fan_in, in);
  const auto acc = builder_.depthwise_conv2d(in.value, std::move(w.weight), std::move(w.bias), window, in.zero_point);
  for (auto& s : w.scale) s *= in.scale;
  return requantize(accumulate(acc, {*in.sample}, std::move(w.scale)), fused);
}

Activation QuantizedLayers::fully_connected(const Activation& in, std::int64_t channels, Fused fused, DType weights) {
  return conv2d(in, channels, {}, fused, weights);
}

Linear QuantizedLayers::linear(const Activation& in, std::int64_t channels) {
  const auto depth = shape(in)[3];
  auto w = draw(DType::kINT8, {channels, 1, 1, depth}, 0, static_cast<double>(depth), in);
  const auto weight = builder_.constant(std::move(w.weight)), bias = builder_.constant(std::move(w.bias));
  return {weight, bias, std::move(w.scale), in.scale};
}

Activation QuantizedLayers::apply(const Linear& linear, const Activation& in) {
  assert(in.scale == linear.input_scale);
  const auto acc = builder_.conv2d(in.value, linear.weight, linear.bias, {}, in.zero_point);
  auto scale = linear.weight_scale;
  for (auto& s : scale) s *= in.scale;
  return requantize(accumulate(acc, {*in.sample}, std::move(scale)));
}

Activation QuantizedLayers::matmul(const Activation& a, const Activation& b) {
  const auto acc = builder_.matmul(a.value, b.value, a.zero_point, b.zero_point);
  return requantize(accumulate(acc, {*a.sample, *b.sample}, {a.scale * b.scale}));
}

}  // namespace macaw::models
