#include "models/quantized_layers.hpp"

#include <algorithm>
#include <cmath>

namespace macaw::models {
namespace {

/// Deviations of a map that its int8 range covers on each side of the mean.
constexpr double kCoverage = 3.5;
constexpr double kBiasDeviation = 0.25;

/// Scale and zero point for values of this mean and root mean square, cut off by the fused activation.
Activation quantize(double mean, double rms, Fused fused) {
  Activation a;
  const double deviation = std::sqrt(std::max(rms * rms - mean * mean, 1e-12));
  double low = mean - kCoverage * deviation, high = mean + kCoverage * deviation;
  if (fused != Fused::kNone) low = 0;
  if (fused == Fused::kRelu6) high = std::min(high, 6.0);
  low = std::min(low, 0.0);
  a.scale = (high - low) / 255;
  a.zero_point = static_cast<std::int8_t>(std::clamp(std::floor(-128 - low / a.scale + 0.5), -128.0, 127.0));
  a.mean = mean;
  a.rms = rms;
  if (fused != Fused::kNone) {
    // Half of a centred distribution is cut off: E[max(x, 0)] = deviation / sqrt(2 pi), E[max(x, 0)^2] = E[x^2] / 2.
    a.mean = std::max(mean, 0.3989422804014327 * deviation);
    a.rms = rms / std::sqrt(2.0);
  }
  return a;
}

}  // namespace

Activation QuantizedLayers::input(std::string name, Shape shape) {
  Activation a;
  a.value = builder_.input(std::move(name), DType::kINT8, std::move(shape));
  a.scale = 1.0 / 32;
  return a;
}

QuantizedLayers::Weights QuantizedLayers::draw(Shape shape, std::int64_t channels, std::size_t channel_axis,
                                               double fan_in, const Activation& in) {
  Weights w;
  // int8 weights of deviation 32; the scale gives real weights the variance 1 / fan_in, a little different per channel
  // as in trained networks.
  constexpr std::int64_t kDeviation = 32;
  for (std::int64_t c = 0; c < channels; ++c)
    w.scale.push_back(static_cast<double>(random_.between(700, 1300)) / 1000 / std::sqrt(fan_in) / kDeviation);
  Tensor weight(DType::kINT8, std::move(shape));
  for (auto& v : weight.data<std::int8_t>()) v = static_cast<std::int8_t>(random_.normal(kDeviation, 127));
  // A weighted sum over the input's mean would push channels to their bounds: the bias takes it back.
  const auto extents = weight.shape();
  std::int64_t inner = 1;
  for (std::size_t i = channel_axis + 1; i < extents.size(); ++i) inner *= extents[i];
  std::vector<std::int64_t> sums(static_cast<std::size_t>(channels));
  const auto values = weight.data<std::int8_t>();
  for (std::size_t i = 0; i < values.size(); ++i)
    sums[i / static_cast<std::size_t>(inner) % static_cast<std::size_t>(channels)] += values[i];
  std::vector<std::int32_t> bias;
  for (std::int64_t c = 0; c < channels; ++c) {
    const double drawn = static_cast<double>(random_.normal(1 << 12, 1 << 14)) / (1 << 12) * kBiasDeviation;
    const auto channel = static_cast<std::size_t>(c);
    const double unit = w.scale[channel] * in.scale;
    const double centre = static_cast<double>(sums[channel]) * w.scale[channel] * in.mean;
    bias.push_back(static_cast<std::int32_t>(std::floor((drawn - centre) / unit + 0.5)));
  }
  w.bias = int32_tensor({channels}, bias);
  w.weight = std::move(weight);
  return w;
}

Activation QuantizedLayers::requantize(tosa::ValueId accumulator, const std::vector<double>& scale, double mean,
                                       double rms, Fused fused) {
  auto out = quantize(mean, rms, fused);
  Rescale rescale;
  for (const double s : scale) append_scale(rescale, s / out.scale);
  rescale.output_zp = out.zero_point;
  out.value = builder_.rescale(accumulator, DType::kINT8, rescale);
  if (fused != Fused::kNone) {
    double high = 127;
    if (fused == Fused::kRelu6) high = std::min(high, std::floor(out.zero_point + 6 / out.scale + 0.5));
    out.value = builder_.clamp(out.value, out.zero_point, static_cast<std::int8_t>(high));
  }
  return out;
}

Activation QuantizedLayers::conv2d(const Activation& in, std::int64_t channels, const Window& window, Fused fused) {
  const auto depth = shape(in)[3];
  const double fan_in = static_cast<double>(window.kernel[0] * window.kernel[1] * depth);
  auto w = draw({channels, window.kernel[0], window.kernel[1], depth}, channels, 0, fan_in, in);
  const auto acc = builder_.conv2d(in.value, std::move(w.weight), std::move(w.bias), window, in.zero_point);
  for (auto& s : w.scale) s *= in.scale;
  const double variance = in.rms * in.rms - in.mean * in.mean + kBiasDeviation * kBiasDeviation;
  return requantize(acc, w.scale, 0, std::sqrt(variance), fused);
}

Activation QuantizedLayers::depthwise_conv2d(const Activation& in, const Window& window, Fused fused) {
  const auto depth = shape(in)[3];
  const double fan_in = static_cast<double>(window.kernel[0] * window.kernel[1]);
  auto w = draw({window.kernel[0], window.kernel[1], depth, 1}, depth, 2, fan_in, in);
  const auto acc = builder_.depthwise_conv2d(in.value, std::move(w.weight), std::move(w.bias), window, in.zero_point);
  for (auto& s : w.scale) s *= in.scale;
  const double variance = in.rms * in.rms - in.mean * in.mean + kBiasDeviation * kBiasDeviation;
  return requantize(acc, w.scale, 0, std::sqrt(variance), fused);
}

Activation QuantizedLayers::fully_connected(const Activation& in, std::int64_t channels) {
  return conv2d(in, channels, {}, Fused::kNone);
}

Activation QuantizedLayers::add(const Activation& a, const Activation& b, Fused fused) {
  constexpr int kHeadroom = 20;
  const double unit = 2 * std::max(a.scale, b.scale);
  const auto operand = [&](const Activation& x) {
    Rescale rescale;
    append_scale(rescale, x.scale / unit * (1 << kHeadroom));
    rescale.input_zp = x.zero_point;
    return builder_.rescale(x.value, DType::kINT32, rescale);
  };
  const auto left = operand(a), right = operand(b);
  const double variance = a.rms * a.rms - a.mean * a.mean + b.rms * b.rms - b.mean * b.mean, mean = a.mean + b.mean;
  return requantize(builder_.add(left, right), {unit / (1 << kHeadroom)}, mean, std::sqrt(variance + mean * mean), fused);
}

Activation QuantizedLayers::avg_pool2d(const Activation& in, const Window& window) {
  auto out = in;
  out.value = builder_.avg_pool2d(in.value, window, in.zero_point, in.zero_point);
  const double n = static_cast<double>(window.kernel[0] * window.kernel[1]);
  out.rms = std::sqrt(in.mean * in.mean + (in.rms * in.rms - in.mean * in.mean) / n);
  return out;
}

Activation QuantizedLayers::max_pool2d(const Activation& in, const Window& window) {
  auto out = in;
  out.value = builder_.max_pool2d(in.value, window);
  return out;
}

Activation QuantizedLayers::reshape(const Activation& in, Shape new_shape) {
  auto out = in;
  out.value = builder_.reshape(in.value, std::move(new_shape));
  return out;
}

}  // namespace macaw::models
