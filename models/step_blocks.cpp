#include <algorithm>
#include <bit>
#include <cmath>

#include "models/step_layers.hpp"

namespace macaw::models {
namespace {

constexpr double kLeastWeight = 1e-6;  // largest magnitude of weights that are all zero

/// Weights for the channels of x, to be broadcast.
Fixed channel_weights(StepLayers& net, const Fixed& x, const std::vector<double>& weights, double largest) {
  Shape channel(net.shape(x).size(), 1);
  channel.back() = net.shape(x).back();
  return net.constant(std::move(channel), weights, largest / net.top());
}

double largest_of(const std::vector<double>& weights) {
  double largest = kLeastWeight;
  for (const double v : weights) largest = std::max(largest, std::abs(v));
  return largest;
}

/// A positive INT32 tensor shifted left until its first bits are used: by bits, an even number of them if asked.
struct Shifted {
  tosa::ValueId value, bits;
};
Shifted shift_to_first_bit(StepLayers& net, tosa::ValueId x, bool even) {
  auto& builder = net.builder();
  auto bits = builder.sub(builder.clz(x), net.integer(1, x));
  if (even) bits = builder.bitwise_and(bits, net.integer(-2, x));
  return {builder.left_shift(x, bits), bits};
}

/// Exponentials over their sum, of int16.
Fixed shares_int16(StepLayers& net, const Fixed& weight) {
  auto& builder = net.builder();
  // The largest of the weights is 1, so the sum is 2^15 - 1 or more.
  const auto total = builder.reduce_sum(net.widened(weight), 2);
  const auto [first, bits] = shift_to_first_bit(net, total, false);
  // 1 to 2, in steps of 2^-16 from 1.5.
  const auto mantissa = net.narrowed(builder.sub(first, net.integer(3 << 29, first)), 1.0 / (1 << 14), 1.0 / (1 << 16));
  const auto inverse = net.table(
      mantissa, [](double m) { return 1 / (1.5 + m); }, 1.0 / net.top());
  const auto product = builder.mul(weight.value, inverse.value);
  const auto share = builder.right_shift(product, builder.sub(net.integer(30, bits), bits), true);
  return net.narrowed(share, 1, 1.0 / net.top());
}

/// Likewise of int8, by a table of the sum.
Fixed shares_int8(StepLayers& net, const Fixed& weight, const std::optional<SoftmaxScales>& inside) {
  constexpr double kOne = 1.0 / 127;
  // Sums are 1 to the number of positions; above a quarter of them the result is too large instead of too small to see.
  const double most = std::max(static_cast<double>(net.shape(weight)[2]) / 4, 4.0);
  const auto total = net.sum(weight, 2, 1, inside ? inside->total : most / 127);
  const auto inverse = net.table(
      total, [&](double s) { return 1 / std::max(s, 1.0); }, kOne);
  return net.mul(weight, inverse, kOne);
}

}  // namespace

std::vector<double> drawn_norm_weights(StepLayers& net, std::int64_t channels) {
  std::vector<double> weights;
  for (std::int64_t c = 0; c < channels; ++c)
    weights.push_back(static_cast<double>(net.random().between(800, 1200)) / 1000);
  return weights;
}

Fixed rms_norm(StepLayers& net, const Fixed& x) {
  // Squares of values that use a half of the range or more are beyond the scale of their mean, as few rows are.
  const double largest = 64 * x.scale, unit = largest * largest / 127;
  const auto mean = net.mean_square(x, unit);
  const double most = 1 / std::sqrt(unit);
  const auto inverse = net.table(
      mean, [&](double v) { return 1 / std::sqrt(std::max(v, unit)); }, most / 127);
  const auto weight = channel_weights(net, x, drawn_norm_weights(net, net.shape(x).back()), 1.5);
  return net.mul(net.mul(x, inverse, 1.0 / 32), weight, 1.0 / 32);
}

Fixed rms_norm(StepLayers& net, const Fixed& x, std::span<const float> weights, const NormScales& scales) {
  const auto mean = net.mean_square(x, scales.mean);
  const double least = scales.mean / 2;  // what is rounded to 0 is about as large
  const auto inverse = net.table(
      mean, [&](double v) { return 1 / std::sqrt(std::max(v, least)); }, scales.inverse);
  const std::vector<double> values(weights.begin(), weights.end());
  const auto weight = channel_weights(net, x, values, largest_of(values));
  return net.mul(net.mul(x, inverse, scales.normal), weight, scales.normed);
}

Fixed rms_norm_int16(StepLayers& net, const Fixed& x, std::span<const double> weights, double epsilon,
                     double normal_scale, double scale) {
  auto& builder = net.builder();
  const auto axis = static_cast<std::int64_t>(net.shape(x).size()) - 1;
  const auto channels = net.shape(x).back();
  // Squares without so many bits that their sum is at most 2^30.
  const int spare = std::bit_width(static_cast<std::uint64_t>(channels) - 1);
  const auto wide = net.widened(x);
  const auto sum = builder.reduce_sum(builder.mul(wide, wide, static_cast<std::int8_t>(spare)), axis);
  // The mean of squares that one step of the sum stands for.
  const double unit = std::ldexp(x.scale * x.scale, spare) / static_cast<double>(channels);
  const auto least = static_cast<std::int32_t>(std::clamp(epsilon / unit + 0.5, 1.0, std::ldexp(1.0, 30) - 1));
  const auto [first, bits] = shift_to_first_bit(net, builder.add(sum, net.integer(least, sum)), true);
  // 1 to 4, in steps of 2^-14 from 2.
  const auto mantissa =
      net.narrowed(builder.sub(first, net.integer(1 << 30, first)), std::ldexp(1, -15), std::ldexp(1, -14));
  const auto inverse = net.table(
      mantissa, [](double m) { return 1 / std::sqrt(std::max(2 + m, 1.0)); }, 1.0 / net.top());
  // The sum is the mantissa times 2^(29 - bits), its root that of the mantissa times 2^(14.5 - bits / 2).
  const auto half = builder.right_shift(bits, net.integer(1, bits), false);
  const auto product = builder.mul(x.value, inverse.value);
  const auto shifted = builder.right_shift(product, builder.sub(net.integer(15, half), half), true);
  const double shifted_scale = x.scale * std::sqrt(2 / unit) / net.top();
  normal_scale = std::max(normal_scale, 1.0 / net.top());  // the mean of its squares is 1
  const auto normal = net.narrowed(shifted, shifted_scale / normal_scale, normal_scale);
  const std::vector<double> values(weights.begin(), weights.end());
  return net.mul(normal, channel_weights(net, x, values, largest_of(values)), scale);
}

Fixed attend(StepLayers& net, const Fixed& given, const Fixed& v, const Fixed* bias, const Fixed* mask, double scale,
             std::optional<SoftmaxScales> inside) {
  // exp(-11) is less than a step of an int16 weight.
  constexpr double kMostBelow = 11;
  const double one = 1.0 / net.top();
  const auto heads = net.shape(given)[0], rows = net.shape(given)[1], positions = net.shape(given)[2];
  const auto scores = bias ? net.add(given, *bias, given.scale) : given;
  const double below_scale = net.is_int16() ? kMostBelow / net.top() : inside ? inside->below : 2 * given.scale;
  const auto below = net.sub(scores, net.max(scores, 2), below_scale);
  auto weight = net.table(
      below, [](double d) { return std::exp(std::min(d, 0.0)); }, one);
  if (mask) weight = net.mul(weight, *mask, one);  // times 1 or 0, exactly
  const auto share = net.is_int16() ? shares_int16(net, weight) : shares_int8(net, weight, inside);
  const auto values = net.shape(v);
  return net.matmul(net.reshape(share, {values[0], heads * rows / values[0], positions}), v, scale);
}

}  // namespace macaw::models
