#include "models/step_layers.hpp"

#include <algorithm>
#include <cmath>

namespace macaw::models {
namespace {

constexpr int kDeviation = 32, kLimit = 127;  // of weights
constexpr double kLeast = 1e-6;               // magnitude that a channel of zeros is given

std::vector<std::int8_t> rounded(const std::vector<double>& values, double scale) {
  std::vector<std::int8_t> integers;
  for (const double v : values)
    integers.push_back(static_cast<std::int8_t>(std::clamp(std::floor(v / scale + 0.5), -128.0, 127.0)));
  return integers;
}

}  // namespace

Fixed StepLayers::input(std::string name, Shape shape, double scale) {
  return {builder_.input(std::move(name), DType::kINT8, std::move(shape)), scale};
}

Fixed StepLayers::constant(Shape shape, const std::vector<double>& values, double scale) {
  return {builder_.constant(int8_tensor(std::move(shape), rounded(values, scale))), scale};
}

Fixed StepLayers::random_rows(std::int64_t count, std::int64_t width, double deviation, double scale) {
  Tensor rows(DType::kINT8, {1, count, width});
  const auto steps = static_cast<std::int64_t>(std::floor(deviation / scale + 0.5));
  for (auto& v : rows.data<std::int8_t>()) v = static_cast<std::int8_t>(random_.normal(steps, kLimit));
  return {builder_.constant(std::move(rows)), scale};
}

Fixed StepLayers::linear(const Fixed& x, std::int64_t channels, double gain, double scale) {
  return convolution(x, channels, {}, gain, scale);
}

Fixed StepLayers::linear(const Fixed& x, std::span<const float> weights, double scale) {
  const auto depth = static_cast<std::size_t>(shape(x)[3]);
  const auto channels = weights.size() / depth;
  Tensor weight(DType::kINT8, {static_cast<std::int64_t>(channels), 1, 1, shape(x)[3]});
  const auto out = weight.data<std::int8_t>();
  Rescale rescale;
  for (std::size_t c = 0; c < channels; ++c) {
    const auto row = weights.subspan(c * depth, depth);
    double most = kLeast;
    for (const float v : row) most = std::max(most, std::abs(static_cast<double>(v)));
    for (std::size_t i = 0; i < depth; ++i)
      out[c * depth + i] = static_cast<std::int8_t>(std::floor(static_cast<double>(row[i]) * kLimit / most + 0.5));
    append_scale(rescale, x.scale * most / kLimit / scale);
  }
  const auto sums =
      builder_.conv2d(x.value, std::move(weight), Tensor(DType::kINT32, {static_cast<std::int64_t>(channels)}), {}, 0);
  return {builder_.rescale(sums, DType::kINT8, rescale), scale};
}

Fixed StepLayers::rows(std::int64_t width, std::span<const float> values, double scale) {
  return constant({1, static_cast<std::int64_t>(values.size()) / width, width},
                  std::vector<double>(values.begin(), values.end()), scale);
}

Fixed StepLayers::convolution(const Fixed& x, std::int64_t channels, const Window& window, double gain, double scale) {
  const auto depth = shape(x)[3];
  Tensor weight(DType::kINT8, {channels, window.kernel[0], window.kernel[1], depth});
  for (auto& v : weight.data<std::int8_t>()) v = static_cast<std::int8_t>(random_.normal(kDeviation, kLimit));
  const auto taps = static_cast<double>(window.kernel[0] * window.kernel[1] * depth);
  const double weight_scale = gain / (kDeviation * std::sqrt(taps));
  const auto sums = builder_.conv2d(x.value, std::move(weight), Tensor(DType::kINT32, {channels}), window, 0);
  return {narrow(sums, x.scale * weight_scale / scale), scale};
}

tosa::ValueId StepLayers::narrow(tosa::ValueId wide, double ratio) {
  Rescale rescale;
  append_scale(rescale, ratio);
  return builder_.rescale(wide, DType::kINT8, rescale);
}

tosa::ValueId StepLayers::widen(tosa::ValueId x, double ratio) {
  Rescale rescale;
  append_scale(rescale, ratio);
  return builder_.rescale(x, DType::kINT32, rescale);
}

Fixed StepLayers::matmul(const Fixed& a, const Fixed& b, double scale) {
  return {narrow(builder_.matmul(a.value, b.value, 0, 0), a.scale * b.scale / scale), scale};
}

Fixed StepLayers::sum_of(const Fixed& a, const Fixed& b, double scale, bool subtract) {
  constexpr double kHeadroom = 1 << 16;
  const double unit = scale / kHeadroom;
  const auto left = widen(a.value, a.scale / unit), right = widen(b.value, b.scale / unit);
  return {narrow(subtract ? builder_.sub(left, right) : builder_.add(left, right), 1 / kHeadroom), scale};
}

Fixed StepLayers::add(const Fixed& a, const Fixed& b, double scale) { return sum_of(a, b, scale, false); }
Fixed StepLayers::sub(const Fixed& a, const Fixed& b, double scale) { return sum_of(a, b, scale, true); }

Fixed StepLayers::mul(const Fixed& a, const Fixed& b, double scale) {
  return {narrow(builder_.mul(widen(a.value, 1), widen(b.value, 1)), a.scale * b.scale / scale), scale};
}

Fixed StepLayers::rescaled(const Fixed& x, double scale) { return {narrow(x.value, x.scale / scale), scale}; }

Fixed StepLayers::table(const Fixed& x, const std::function<double(double)>& function, double scale) {
  std::vector<double> values;
  for (int q = -128; q <= 127; ++q) values.push_back(function(q * x.scale));
  return {builder_.table(x.value, rounded(values, scale)), scale};
}

Fixed StepLayers::sum(const Fixed& x, std::int64_t axis, double factor, double scale) {
  return {narrow(builder_.reduce_sum(widen(x.value, 1), axis), factor * x.scale / scale), scale};
}

Fixed StepLayers::mean_square(const Fixed& x, double scale) {
  const auto axis = static_cast<std::int64_t>(shape(x).size()) - 1;
  const auto squares = builder_.mul(widen(x.value, 1), widen(x.value, 1));
  const double ratio = x.scale * x.scale / static_cast<double>(shape(x).back()) / scale;
  return {narrow(builder_.reduce_sum(squares, axis), ratio), scale};
}

Fixed StepLayers::max(const Fixed& x, std::int64_t axis) { return {builder_.reduce_max(x.value, axis), x.scale}; }

Fixed StepLayers::reshape(const Fixed& x, Shape to) { return {builder_.reshape(x.value, std::move(to)), x.scale}; }

Fixed StepLayers::transpose(const Fixed& x, std::vector<std::int64_t> perms) {
  return {builder_.transpose(x.value, std::move(perms)), x.scale};
}

Fixed StepLayers::slice(const Fixed& x, Shape start, Shape size) {
  return {builder_.slice(x.value, std::move(start), std::move(size)), x.scale};
}

Fixed StepLayers::concat(const std::vector<Fixed>& parts, std::int64_t axis) {
  std::vector<tosa::ValueId> values;
  for (const auto& part : parts) values.push_back(part.value);
  return {builder_.concat(values, axis), parts.front().scale};
}

Fixed StepLayers::gather(const Fixed& rows, tosa::ValueId indices) {
  return {builder_.gather(rows.value, indices), rows.scale};
}

Fixed StepLayers::scatter(const Fixed& values, tosa::ValueId indices, const Fixed& rows) {
  return {builder_.scatter(values.value, indices, rows.value), values.scale};
}

Fixed StepLayers::state(const std::string& name, Shape shape, double scale) {
  if (variables_) return {builder_.read_variable(name, std::move(shape)), scale};
  return input(name, std::move(shape), scale);
}

void StepLayers::set_state(const std::string& name, const Fixed& x) {
  if (variables_) builder_.write_variable(name, x.value);
  else states_.emplace_back(name + "_out", x.value);
}

tosa::Graph StepLayers::finish() {
  for (const auto& [name, value] : states_) builder_.output(value, name);
  return builder_.graph();
}

Fixed rms_norm(StepLayers& net, const Fixed& x) {
  // Squares of values that use a half of the range or more are beyond the scale of their mean, as few rows are.
  const double largest = 64 * x.scale, unit = largest * largest / 127;
  const auto mean = net.mean_square(x, unit);
  const double most = 1 / std::sqrt(unit);
  const auto inverse = net.table(
      mean, [&](double v) { return 1 / std::sqrt(std::max(v, unit)); }, most / 127);
  Shape channel(net.shape(x).size(), 1);
  channel.back() = net.shape(x).back();
  std::vector<double> weights;
  for (std::int64_t c = 0; c < channel.back(); ++c)
    weights.push_back(static_cast<double>(net.random().between(800, 1200)) / 1000);
  const auto weight = net.constant(std::move(channel), weights, 1.5 / 127);
  return net.mul(net.mul(x, inverse, 1.0 / 32), weight, 1.0 / 32);
}

Fixed rms_norm(StepLayers& net, const Fixed& x, std::span<const float> weights, const NormScales& scales) {
  const auto mean = net.mean_square(x, scales.mean);
  const double least = scales.mean / 2;  // what is rounded to 0 is about as large
  const auto inverse = net.table(
      mean, [&](double v) { return 1 / std::sqrt(std::max(v, least)); }, scales.inverse);
  Shape channel(net.shape(x).size(), 1);
  channel.back() = net.shape(x).back();
  const std::vector<double> values(weights.begin(), weights.end());
  double largest = kLeast;
  for (const double v : values) largest = std::max(largest, std::abs(v));
  const auto weight = net.constant(std::move(channel), values, largest / 127);
  return net.mul(net.mul(x, inverse, scales.normal), weight, scales.normed);
}

Fixed attend(StepLayers& net, const Fixed& given, const Fixed& v, const Fixed* bias, const Fixed* mask, double scale,
             std::optional<SoftmaxScales> inside) {
  constexpr double kOne = 1.0 / 127;
  const auto heads = net.shape(given)[0], rows = net.shape(given)[1], positions = net.shape(given)[2];
  const auto scores = bias ? net.add(given, *bias, given.scale) : given;
  const auto below = net.sub(scores, net.max(scores, 2), inside ? inside->below : 2 * given.scale);
  auto weight = net.table(
      below, [](double d) { return std::exp(std::min(d, 0.0)); }, kOne);
  if (mask) weight = net.mul(weight, *mask, kOne);  // times 1 or 0, exactly
  // Sums are 1 to `positions`; above a quarter of them the result is too large instead of too small to see.
  const double most = std::max(static_cast<double>(positions) / 4, 4.0);
  const auto total = net.sum(weight, 2, 1, inside ? inside->total : most / 127);
  const auto inverse = net.table(
      total, [&](double s) { return 1 / std::max(s, 1.0); }, kOne);
  const auto share = net.mul(weight, inverse, kOne);
  const auto values = net.shape(v);
  return net.matmul(net.reshape(share, {values[0], heads * rows / values[0], positions}), v, scale);
}

}  // namespace macaw::models
