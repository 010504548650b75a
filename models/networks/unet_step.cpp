#include <algorithm>
#include <cmath>

#include "models/models.hpp"
#include "models/step_layers.hpp"

namespace macaw::models {
namespace {

constexpr std::int64_t kSteps = 20, kTrainingSteps = 1000;
constexpr double kSample = 1.0 / 32, kUnetHidden = 1.0 / 16, kUnetScore = 1.0 / 16;

/// Products of 1 - beta up to each training step; beta rises linearly (Ho et al., "Denoising Diffusion Probabilistic
/// Models", 2020, section 4).
std::vector<double> signal_levels() {
  std::vector<double> levels;
  double product = 1;
  for (std::int64_t t = 0; t < kTrainingSteps; ++t)
    levels.push_back(product *= 1 - (1e-4 + (0.02 - 1e-4) * static_cast<double>(t) / (kTrainingSteps - 1)));
  return levels;
}

/// Factors of sample and noise in a step of DDIM without noise of its own (Song et al., "Denoising Diffusion Implicit
/// Models", 2021, equation 12 with sigma 0).
struct Factors {
  std::vector<double> sample, noise;
};

Factors factors() {
  const auto levels = signal_levels();
  const auto level = [&](std::int64_t step) {
    const auto t = kTrainingSteps * (kSteps - step) / kSteps - 1;
    return t < 0 ? 1.0 : levels[static_cast<std::size_t>(t)];
  };
  Factors result;
  for (std::int64_t step = 0; step < kSteps; ++step) {
    const double now = level(step), next = level(step + 1), ratio = std::sqrt(next / now);
    result.sample.push_back(ratio);
    result.noise.push_back(std::sqrt(1 - next) - ratio * std::sqrt(1 - now));
  }
  return result;
}

Fixed silu(StepLayers& net, const Fixed& x) {
  return net.table(x, [](double v) { return v / (1 + std::exp(-v)); }, x.scale);
}

Fixed residual(StepLayers& net, const Fixed& x, const Fixed& time) {
  const auto window = same_window(net.shape(x), 3, 1);
  const auto channels = net.shape(x)[3];
  auto h = net.convolution(silu(net, rms_norm(net, x)), channels, window, 1, kUnetHidden);
  h = net.add(h, net.linear(time, channels, 1, kUnetHidden), kUnetHidden);
  h = net.convolution(silu(net, rms_norm(net, h)), channels, window, 1, kUnetHidden);
  return net.add(x, h, kUnetHidden);
}

Fixed self_attention(StepLayers& net, const Fixed& x, std::int64_t heads) {
  const auto map = net.shape(x);
  const auto tokens = map[1] * map[2], width = map[3], head = width / heads;
  const auto rows = net.reshape(x, {1, 1, tokens, width}), normed = rms_norm(net, rows);
  const auto split = [&](const Fixed& y) { return net.transpose(net.reshape(y, {tokens, heads, head}), {1, 0, 2}); };
  const auto q = split(net.linear(normed, width, 1, 1.0 / 32)), k = split(net.linear(normed, width, 1, 1.0 / 32)),
             v = split(net.linear(normed, width, 1, 1.0 / 32));
  auto scores = net.matmul(q, net.transpose(k, {0, 2, 1}), kUnetScore * std::sqrt(static_cast<double>(head)));
  scores.scale = kUnetScore;
  const auto mixed = net.transpose(attend(net, scores, v, nullptr, nullptr, 1.0 / 32), {1, 0, 2});
  return net.add(x, net.reshape(net.linear(net.reshape(mixed, {1, 1, tokens, width}), width, 1, kUnetHidden), map), kUnetHidden);
}

}  // namespace

/// The blocks of a diffusion UNet (Rombach et al., "High-Resolution Image Synthesis with Latent Diffusion Models", 2022)
/// on one level, RMSNorm in place of group normalisation; the time embedding is a row of a table.
tosa::Graph unet_step(const BuildOptions& options) {
  const std::int64_t extent = options.tiny ? 4 : 16, channels = options.tiny ? 16 : 64, latent = 4,
                     heads = options.tiny ? 2 : 4;
  StepLayers net(options.seed, false);
  const auto sample = net.input("sample", {1, extent, extent, latent}, kSample);
  const auto step = net.builder().input("step", DType::kINT32, {1, 1});
  const auto time = net.gather(net.random_rows(kSteps, channels, 1, 1.0 / 32), step);
  const auto embedding = silu(net, net.reshape(time, {1, 1, 1, channels}));
  const auto window = same_window(net.shape(sample), 3, 1);
  auto x = net.convolution(sample, channels, window, 1, kUnetHidden);
  x = residual(net, x, embedding);
  x = self_attention(net, x, heads);
  x = residual(net, x, embedding);
  const auto noise = net.convolution(silu(net, rms_norm(net, x)), latent, window, 1.5, kSample);
  net.output(noise, "noise");
  if (options.form == "scheduled") {
    const auto [of_sample, of_noise] = factors();
    const auto factor = [&](const std::vector<double>& values) {
      const auto row = net.gather(net.constant({1, kSteps, 1}, values, 2.0 / 127), step);
      return net.reshape(row, {1, 1, 1, 1});
    };
    const auto kept = net.mul(sample, factor(of_sample), kSample), removed = net.mul(noise, factor(of_noise), kSample);
    net.output(net.add(kept, removed, kSample), "sample_out");
  }
  return net.finish(options.scales);
}

}  // namespace macaw::models
