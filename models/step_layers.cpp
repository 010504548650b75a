#include "models/step_layers.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace macaw::models {
namespace {

constexpr int kDeviation = 32, kLimit = 127;  // of weights
constexpr double kLeast = 1e-6;               // magnitude that a channel of zeros is given
constexpr double kMostRatio48 = 1 << 11;      // of a RESCALE of INT48
// Results of RESCALE that its bound of values, less than 2^(shift - 1) (apply_scale_32), allows at any multiplier.
constexpr double kMostRescaled = 1 << 29;

template <class T>
std::vector<T> integers(const std::vector<double>& values, double scale) {
  constexpr double kLow = std::numeric_limits<T>::min(), kHigh = std::numeric_limits<T>::max();
  std::vector<T> out;
  for (const double v : values) out.push_back(static_cast<T>(std::clamp(std::floor(v / scale + 0.5), kLow, kHigh)));
  return out;
}

}  // namespace

Tensor StepLayers::rounded(Shape to, const std::vector<double>& values, double scale) const {
  return is_int16() ? int16_tensor(std::move(to), integers<std::int16_t>(values, scale))
                    : int8_tensor(std::move(to), integers<std::int8_t>(values, scale));
}

Fixed StepLayers::input(std::string name, Shape shape, double scale) {
  return {builder_.input(std::move(name), type_, std::move(shape)), scale};
}

Fixed StepLayers::constant(Shape shape, const std::vector<double>& values, double scale) {
  return {builder_.constant(rounded(std::move(shape), values, scale)), scale};
}

Fixed StepLayers::random_rows(std::int64_t count, std::int64_t width, double deviation, double scale) {
  Tensor rows(type_, {1, count, width});
  const auto steps = static_cast<std::int64_t>(std::floor(deviation / scale + 0.5));
  const auto draw = [&]<class T>(std::span<T> values) {
    for (auto& v : values) v = static_cast<T>(random_.normal(steps, top()));
  };
  if (is_int16()) draw(rows.data<std::int16_t>());
  else draw(rows.data<std::int8_t>());
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
  std::vector<double> ratios;
  for (std::size_t c = 0; c < channels; ++c) {
    const auto row = weights.subspan(c * depth, depth);
    double most = kLeast;
    for (const float v : row) most = std::max(most, std::abs(static_cast<double>(v)));
    for (std::size_t i = 0; i < depth; ++i)
      out[c * depth + i] = static_cast<std::int8_t>(std::floor(static_cast<double>(row[i]) * kLimit / most + 0.5));
    ratios.push_back(x.scale * most / kLimit / scale);
  }
  const auto sums = builder_.conv2d(x.value, std::move(weight), zeros(static_cast<std::int64_t>(channels)), {}, 0);
  return {narrow(sums, ratios), scale};
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
  const auto sums = builder_.conv2d(x.value, std::move(weight), zeros(channels), window, 0);
  return {narrow(sums, {x.scale * weight_scale / scale}), scale};
}

Tensor StepLayers::zeros(std::int64_t count) const {
  return Tensor(is_int16() ? DType::kINT48 : DType::kINT32, {count});
}

tosa::ValueId StepLayers::narrow(tosa::ValueId wide, const std::vector<double>& ratios, double most) {
  if (builder_.dtype(wide) == DType::kINT48) most = kMostRatio48;
  const double beyond = std::max(*std::ranges::max_element(ratios) / most, 1.0);
  Rescale rescale;
  for (const double ratio : ratios) append_scale(rescale, ratio / beyond);
  const auto narrowed = builder_.rescale(wide, type_, rescale);
  return beyond > 1 ? narrow(narrowed, {beyond}, kMostRescaled / (top() + 1)) : narrowed;
}

tosa::ValueId StepLayers::widen(tosa::ValueId x, double ratio) {
  Rescale rescale;
  append_scale(rescale, ratio);
  return builder_.rescale(x, DType::kINT32, rescale);
}

Fixed StepLayers::matmul(const Fixed& a, const Fixed& b, double scale) {
  return {narrow(builder_.matmul(a.value, b.value, 0, 0), {a.scale * b.scale / scale}), scale};
}

Fixed StepLayers::sum_of(const Fixed& a, const Fixed& b, double scale, bool subtract) {
  // As many bits below a step of the result as RESCALE can add, 16 at most.
  const double largest = std::max(a.scale, b.scale) / scale * (top() + 1);
  const double headroom = std::min(std::exp2(std::floor(std::log2(kMostRescaled / largest))), 65536.0);
  const double unit = scale / headroom;
  const auto left = widen(a.value, a.scale / unit), right = widen(b.value, b.scale / unit);
  return {narrow(subtract ? builder_.sub(left, right) : builder_.add(left, right), {1 / headroom}), scale};
}

Fixed StepLayers::add(const Fixed& a, const Fixed& b, double scale) { return sum_of(a, b, scale, false); }
Fixed StepLayers::sub(const Fixed& a, const Fixed& b, double scale) { return sum_of(a, b, scale, true); }

Fixed StepLayers::mul(const Fixed& a, const Fixed& b, double scale) {
  const auto product = is_int16() ? builder_.mul(a.value, b.value) : builder_.mul(widened(a), widened(b));
  const double largest = (top() + 1.0) * (top() + 1.0);
  return {narrow(product, {a.scale * b.scale / scale}, kMostRescaled / largest), scale};
}

Fixed StepLayers::rescaled(const Fixed& x, double scale) { return {narrow(x.value, {x.scale / scale}), scale}; }

Fixed StepLayers::table(const Fixed& x, const std::function<double(double)>& function, double scale) {
  std::vector<double> values;
  if (!is_int16()) {
    for (int q = -128; q <= 127; ++q) values.push_back(function(q * x.scale));
    return {builder_.table(x.value, integers<std::int8_t>(values, scale)), scale};
  }
  // Entries that are at most 2^15 - 1 apart.
  for (int q = -32768; q <= 32768; q += 128) values.push_back(std::max(function(q * x.scale), -32767 * scale));
  return {narrow(builder_.table(x.value, integers<std::int16_t>(values, scale)), {1.0 / 128}), scale};
}

tosa::ValueId StepLayers::integer(std::int32_t value, tosa::ValueId like) {
  return builder_.constant(int32_tensor(Shape(builder_.shape(like).size(), 1), {value}));
}

Fixed StepLayers::sum(const Fixed& x, std::int64_t axis, double factor, double scale) {
  return {narrow(builder_.reduce_sum(widen(x.value, 1), axis), {factor * x.scale / scale}), scale};
}

Fixed StepLayers::mean_square(const Fixed& x, double scale) {
  const auto axis = static_cast<std::int64_t>(shape(x).size()) - 1;
  const auto squares = builder_.mul(widen(x.value, 1), widen(x.value, 1));
  const double ratio = x.scale * x.scale / static_cast<double>(shape(x).back()) / scale;
  return {narrow(builder_.reduce_sum(squares, axis), {ratio}), scale};
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

Fixed StepLayers::state(const std::string& name, Shape shape, double scale) {
  if (variables_) return {builder_.read_variable(name, std::move(shape)), scale};
  return input(name, std::move(shape), scale);
}

void StepLayers::set_state(const std::string& name, const Fixed& x) {
  if (variables_) builder_.write_variable(name, x.value);
  else states_.emplace_back(name + "_out", x);
}

Fixed StepLayers::update_rows(const std::string& name, Shape to, tosa::ValueId indices, const Fixed& rows) {
  if (variables_ && is_int16()) return update_bytes(name, to, indices, rows);
  const auto before = state(name, std::move(to), rows.scale);
  const Fixed after{builder_.scatter(before.value, indices, rows.value), rows.scale};
  set_state(name, after);
  return after;
}

Fixed StepLayers::update_bytes(const std::string& name, const Shape& to, tosa::ValueId indices, const Fixed& rows) {
  const auto constant = [&](std::int16_t v) { return builder_.constant(int16_tensor(Shape(to.size(), 1), {v})); };
  // RESCALE by 1, which converts types and adds zero points, or by 256.
  const auto convert = [&](tosa::ValueId x, DType type, double ratio, int input_zp, int output_zp) {
    Rescale rescale;
    rescale.input_zp = input_zp;
    rescale.output_zp = output_zp;
    append_scale(rescale, ratio);
    return builder_.rescale(x, type, rescale);
  };
  const auto update = [&](const std::string& part, tosa::ValueId bytes, std::int8_t initial) {
    const auto before = builder_.read_variable(part, to, initial);
    const auto after = builder_.scatter(before, indices, bytes);
    builder_.write_variable(part, after);
    return after;
  };
  const auto high_row = builder_.right_shift(rows.value, constant(8), false);
  const auto low_row = builder_.bitwise_and(rows.value, constant(255));
  const auto high = update(name + "_high", convert(high_row, DType::kINT8, 1, 0, 0), 0);
  const auto low = update(name + "_low", convert(low_row, DType::kINT8, 1, 0, -128), -128);
  return {builder_.bitwise_or(convert(high, DType::kINT16, 256, 0, 0), convert(low, DType::kINT16, 1, -128, 0)),
          rows.scale};
}

void StepLayers::output(const Fixed& x, const std::string& name) {
  builder_.output(x.value, name);
  scales_[name] = x.scale;
}

tosa::Graph StepLayers::finish(std::map<std::string, double>* scales) {
  for (const auto& [name, x] : states_) output(x, name);
  if (scales) *scales = scales_;
  return builder_.graph();
}

}  // namespace macaw::models
