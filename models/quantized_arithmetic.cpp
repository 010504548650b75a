#include "models/quantized_layers.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace macaw::models {

Activation QuantizedLayers::same_quantization(const Activation& in, tosa::ValueId value) const {
  auto out = in;
  out.value = value;
  out.sample = std::make_shared<const Tensor>(run_last({*in.sample}));
  return out;
}

Activation QuantizedLayers::requantized(const Activation& in, double scale) {
  Rescale rescale;
  append_scale(rescale, in.scale / scale);
  rescale.input_zp = in.zero_point;
  auto out = same_quantization(in, builder_.rescale(in.value, DType::kINT8, rescale));
  out.scale = scale;
  out.zero_point = 0;
  return out;
}

/// The int32 tensor of an activation in units of `unit`.
QuantizedLayers::Accumulator QuantizedLayers::widen(const Activation& in, double unit) {
  Rescale rescale;
  append_scale(rescale, in.scale / unit);
  rescale.input_zp = in.zero_point;
  const auto value = builder_.rescale(in.value, DType::kINT32, rescale);
  return accumulate(value, {*in.sample}, {unit});
}

/// Operands are brought to one scale with 20 bits of headroom, as TFLite does.
QuantizedLayers::Accumulator QuantizedLayers::add_widened(const Activation& a, const Activation& b, bool subtract) {
  const double unit = 2 * std::max(a.scale, b.scale) / (1 << 20);
  const auto left = widen(a, unit), right = widen(b, unit);
  const auto value = subtract ? builder_.sub(left.value, right.value) : builder_.add(left.value, right.value);
  return accumulate(value, {left.sample, right.sample}, {unit});
}

Activation QuantizedLayers::add(const Activation& a, const Activation& b, Fused fused) {
  return requantize(add_widened(a, b, false), fused);
}

Activation QuantizedLayers::sub(const Activation& a, const Activation& b) {
  return requantize(add_widened(a, b, true));
}

Activation QuantizedLayers::mul(const Activation& a, const Activation& b) {
  const auto left = widen(a, a.scale), right = widen(b, b.scale);
  return requantize(
      accumulate(builder_.mul(left.value, right.value), {left.sample, right.sample}, {a.scale * b.scale}));
}

QuantizedLayers::Accumulator QuantizedLayers::reduce(const Activation& in, const std::vector<std::int64_t>& axes) {
  auto acc = widen(in, in.scale);
  for (const auto axis : axes) acc = accumulate(builder_.reduce_sum(acc.value, axis), {acc.sample}, acc.scale);
  return acc;
}

Activation QuantizedLayers::sum(const Activation& in, const std::vector<std::int64_t>& axes) {
  return requantize(reduce(in, axes));
}

Activation QuantizedLayers::mean(const Activation& in, const std::vector<std::int64_t>& axes) {
  auto acc = reduce(in, axes);
  for (const auto axis : axes) acc.scale.front() /= static_cast<double>(shape(in)[static_cast<std::size_t>(axis)]);
  return requantize(acc);
}

Activation QuantizedLayers::max(const Activation& in, std::int64_t axis) {
  return same_quantization(in, builder_.reduce_max(in.value, axis));
}

Activation QuantizedLayers::table(const Activation& in, const std::function<double(double)>& function) {
  const auto at = [&](int q) { return function((q - in.zero_point) * in.scale); };
  double low = 0, high = 0;
  const auto [least, most] = std::ranges::minmax(in.sample->data<std::int8_t>());
  for (int q = least; q <= most; ++q) {
    low = std::min(low, at(q));
    high = std::max(high, at(q));
  }
  Activation out;
  out.scale = std::max(high - low, 1e-6) / 255;
  const double zero = std::clamp(std::floor(-128 - low / out.scale + 0.5), -128.0, 127.0);
  out.zero_point = static_cast<std::int8_t>(zero);
  std::vector<std::int8_t> entries;
  for (int q = std::numeric_limits<std::int8_t>::min(); q <= std::numeric_limits<std::int8_t>::max(); ++q)
    entries.push_back(static_cast<std::int8_t>(std::clamp(std::floor(at(q) / out.scale + zero + 0.5), -128.0, 127.0)));
  out.value = builder_.table(in.value, entries);
  out.sample = std::make_shared<const Tensor>(run_last({*in.sample}));
  return out;
}

Activation QuantizedLayers::avg_pool2d(const Activation& in, const Window& window) {
  return same_quantization(in, builder_.avg_pool2d(in.value, window, in.zero_point, in.zero_point));
}

Activation QuantizedLayers::classify(const Activation& in, std::int64_t classes) {
  const auto extent = shape(in)[1];
  const auto mean = avg_pool2d(in, {{extent, extent}, {1, 1}, {1, 1}, {}});
  return reshape(fully_connected(mean, classes), {1, classes});
}

Activation QuantizedLayers::max_pool2d(const Activation& in, const Window& window) {
  return same_quantization(in, builder_.max_pool2d(in.value, window));
}

Activation QuantizedLayers::reshape(const Activation& in, Shape new_shape) {
  return same_quantization(in, builder_.reshape(in.value, std::move(new_shape)));
}

Activation QuantizedLayers::transpose(const Activation& in, std::vector<std::int64_t> perms) {
  return same_quantization(in, builder_.transpose(in.value, std::move(perms)));
}

Activation QuantizedLayers::slice(const Activation& in, Shape start, Shape size) {
  return same_quantization(in, builder_.slice(in.value, std::move(start), std::move(size)));
}

Activation QuantizedLayers::concat(const std::vector<Activation>& inputs, std::int64_t axis) {
  Range range;
  for (const auto& a : inputs) {
    range.low = std::min(range.low, (-128 - a.zero_point) * a.scale);
    range.high = std::max(range.high, (127 - a.zero_point) * a.scale);
  }
  Activation out;
  std::vector<tosa::ValueId> values;
  std::vector<Tensor> samples;
  for (const auto& a : inputs) {
    out = rescale(a.value, *a.sample, {a.scale}, a.zero_point, range);
    values.push_back(out.value);
    samples.push_back(*out.sample);
  }
  out.value = builder_.concat(values, axis);
  out.sample = std::make_shared<const Tensor>(run_last(std::move(samples)));
  return out;
}

}  // namespace macaw::models
