#include "workflow/accuracy/statistics.hpp"

#include <algorithm>
#include <cmath>

namespace macaw::accuracy {
namespace {

constexpr std::size_t kMostChannels = 65536;

/// Elements of a tensor of integers of 8 or 16 bits.
class Codes {
 public:
  explicit Codes(const Tensor* tensor) {
    if (!tensor) return;
    dtype_ = tensor->dtype();
    bytes_ = tensor->bytes().data();
  }
  [[nodiscard]] std::int32_t operator[](std::size_t i) const {
    switch (dtype_) {
      case DType::kINT8: return reinterpret_cast<const std::int8_t*>(bytes_)[i];
      case DType::kUINT8: return reinterpret_cast<const std::uint8_t*>(bytes_)[i];
      default: return reinterpret_cast<const std::int16_t*>(bytes_)[i];
    }
  }

 private:
  DType dtype_ = DType::kINT8;
  const std::byte* bytes_ = nullptr;
};

}  // namespace

void ErrorSums::merge(const ErrorSums& other) {
  count += other.count;
  signal += other.signal;
  noise += other.noise;
  product += other.product;
  energy += other.energy;
  error += other.error;
  largest = std::max(largest, other.largest);
}

double ErrorSums::sqnr() const {
  if (noise == 0)
    return signal == 0 ? std::numeric_limits<double>::quiet_NaN() : std::numeric_limits<double>::infinity();
  return 10 * std::log10(signal / noise);
}

double ErrorSums::cosine() const { return product / std::sqrt(signal * energy); }

std::optional<Step> step_of(DType dtype, const Quantization* quantization) {
  if (!quantization || quantization->scale.size() != 1 || quantization->zero_point.size() > 1) return std::nullopt;
  Step step{.scale = double{quantization->scale[0]}};
  if (!quantization->zero_point.empty()) step.zero_point = static_cast<std::int32_t>(quantization->zero_point[0]);
  switch (dtype) {
    case DType::kINT8: step.least = -128, step.greatest = 127; break;
    case DType::kUINT8: step.least = 0, step.greatest = 255; break;
    case DType::kINT16: step.least = -32768, step.greatest = 32767; break;
    default: return std::nullopt;
  }
  if (!(step.scale > 0) || !std::isfinite(step.scale)) return std::nullopt;
  return step;
}

TensorSums::TensorSums(const Shape& shape, std::optional<Step> of_tensor) : step(of_tensor) {
  const auto depth = shape.size() < 2 ? 1 : static_cast<std::size_t>(shape.back());
  channels.resize(std::clamp<std::size_t>(depth, 1, kMostChannels));
  if (depth > kMostChannels) channels.resize(1);
  if (!step) return;
  bins.resize(kBins);
  float_bins.resize(kBins);
  used.resize(static_cast<std::size_t>(step->greatest - step->least) + 1);
}

void TensorSums::add(const Tensor& reference_values, const Tensor* alone_values, const Tensor& value_tensor,
                     const Tensor* code_tensor) {
  const auto references = reference_values.data<float>(), values = value_tensor.data<float>();
  const float* ideal = alone_values ? alone_values->data<float>().data() : references.data();
  const Codes codes(step ? code_tensor : nullptr);
  const bool has_codes = step && code_tensor;
  const double low = step ? step->real(step->least) - step->scale / 2 : 0,
               high = step ? step->real(step->greatest) + step->scale / 2 : 0;
  const double per_scale = step ? 1 / step->scale : 0;
  const std::size_t group = used.size() > kBins ? used.size() / kBins : 1, depth = channels.size();
  std::size_t channel = 0;
  // Sums of this run come together first, so that few additions meet the large sums of all runs.
  ErrorSums run, run_alone;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double value = values[i], wanted = ideal[i];
    run.add(references[i], value);
    if (alone_values) run_alone.add(wanted, value);
    reference.add(ideal[i]);
    auto& sums = channels[channel];
    if (++channel == depth) channel = 0;
    sums.signal += wanted * wanted;
    sums.noise += (value - wanted) * (value - wanted);
    sums.reference.add(ideal[i]);
    if (!has_codes) continue;
    const std::int32_t code = codes[i];
    sums.codes.add(code);
    const auto place = static_cast<std::size_t>(code - step->least);
    used[place] = true;
    ++bins[place / group];
    at_least += code == step->least;
    at_greatest += code == step->greatest;
    const double steps = std::isnan(wanted) ? step->zero_point
                                            : std::clamp(wanted * per_scale + step->zero_point, double(step->least),
                                                         double(step->greatest));
    ++float_bins[static_cast<std::size_t>(static_cast<std::int32_t>(std::floor(steps + 0.5)) - step->least) / group];
    if (wanted < low || wanted > high) {
      ++(wanted < low ? below : above);
      clipping_noise += (value - wanted) * (value - wanted);
    }
  }
  accumulated.merge(run);
  alone.merge(run_alone);
}

void TensorSums::merge(const TensorSums& other) {
  accumulated.merge(other.accumulated);
  alone.merge(other.alone);
  reference.merge(other.reference);
  for (std::size_t i = 0; i < channels.size(); ++i) {
    channels[i].signal += other.channels[i].signal;
    channels[i].noise += other.channels[i].noise;
    channels[i].reference.merge(other.channels[i].reference);
    channels[i].codes.merge(other.channels[i].codes);
  }
  at_least += other.at_least;
  at_greatest += other.at_greatest;
  below += other.below;
  above += other.above;
  clipping_noise += other.clipping_noise;
  for (std::size_t i = 0; i < bins.size(); ++i) {
    bins[i] += other.bins[i];
    float_bins[i] += other.float_bins[i];
  }
  for (std::size_t i = 0; i < used.size(); ++i)
    if (other.used[i]) used[i] = true;
  sums.least = std::min(sums.least, other.sums.least);
  sums.greatest = std::max(sums.greatest, other.sums.greatest);
}

std::int64_t TensorSums::codes_used() const { return std::ranges::count(used, true); }

std::int64_t TensorSums::dead_channels() const {
  return channels.size() < 2 ? 0 : std::ranges::count_if(channels, &ChannelSums::is_dead);
}

std::optional<std::size_t> TensorSums::worst_channel() const {
  std::optional<std::size_t> worst;
  const auto share = [&](std::size_t i) { return channels[i].noise / channels[i].signal; };
  for (std::size_t i = 0; channels.size() > 1 && i < channels.size(); ++i)
    if (channels[i].signal > 0 && (!worst || share(i) > share(*worst))) worst = i;
  return worst;
}

double TensorSums::rounding_noise() const {
  return step ? static_cast<double>(accumulated.count) * step->scale * step->scale / 12 : 0;
}

}  // namespace macaw::accuracy
