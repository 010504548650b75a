#pragma once
#include <macaw/quantization.hpp>
#include <macaw/tensor.hpp>
#include <macaw/tflite/interpreter.hpp>

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace macaw::accuracy {

/// Sums over elements from which the distance of values from their reference follows.
struct ErrorSums {
  std::int64_t count = 0;
  double signal = 0;   ///< squares of the reference
  double noise = 0;    ///< squares of the differences
  double product = 0;  ///< reference times value
  double energy = 0;   ///< squares of the values
  double error = 0;    ///< differences, value minus reference
  double largest = 0;  ///< largest absolute difference

  void add(double reference, double value) {
    const double difference = value - reference;
    ++count;
    signal += reference * reference;
    noise += difference * difference;
    product += reference * value;
    energy += value * value;
    error += difference;
    if (difference > largest || -difference > largest) largest = difference < 0 ? -difference : difference;
  }
  void merge(const ErrorSums& other);

  /// 10 log10 of signal over noise; infinite without noise, NaN without either.
  [[nodiscard]] double sqnr() const;
  [[nodiscard]] double cosine() const;
  [[nodiscard]] double mean_error() const { return count ? error / static_cast<double>(count) : 0; }
  /// The factor between the values and the reference by least squares.
  [[nodiscard]] double gain() const { return signal > 0 ? product / signal : 1; }
};

/// Smallest and largest value.
template <class T>
struct Extent {
  T least = std::numeric_limits<T>::max(), greatest = std::numeric_limits<T>::lowest();

  void add(T value) {
    if (value < least) least = value;
    if (value > greatest) greatest = value;
  }
  void merge(const Extent& other) {
    if (other.empty()) return;
    add(other.least);
    add(other.greatest);
  }
  [[nodiscard]] bool empty() const { return greatest < least; }
};

struct ChannelSums {
  double signal = 0, noise = 0;
  Extent<float> reference;
  Extent<std::int32_t> codes;  ///< of quantised tensors

  /// Whether the quantised channel is constant although the reference varies.
  [[nodiscard]] bool is_dead() const {
    return !codes.empty() && codes.least == codes.greatest && reference.least < reference.greatest;
  }
};

/// The scale and zero point of a whole tensor, and the codes of its type.
struct Step {
  double scale = 1;
  std::int32_t zero_point = 0, least = 0, greatest = 0;

  [[nodiscard]] double real(std::int32_t code) const { return scale * (code - zero_point); }
};
/// Empty for tensors that do not have a single scale or are not of 8 or 16 bits.
[[nodiscard]] std::optional<Step> step_of(DType dtype, const Quantization* quantization);

/// Sums over all sets of inputs for one tensor; their size does not depend on the number of sets.
class TensorSums {
 public:
  /// Bins of the distributions: one per code; for 16 bits, one per 256 codes.
  static constexpr std::size_t kBins = 256;

  TensorSums(const Shape& shape, std::optional<Step> step);

  /// Adds one run: the float network's values, the result of the float operator on the quantised operands (null:
  /// unknown), the values of the quantised run, and the integers behind them (null: floats). All have the same number
  /// of elements.
  void add(const Tensor& reference, const Tensor* alone, const Tensor& value, const Tensor* codes);
  void merge(const TensorSums& other);

  [[nodiscard]] std::size_t channel_count() const { return channels.size(); }
  [[nodiscard]] std::int64_t codes_used() const;
  [[nodiscard]] std::int64_t dead_channels() const;
  /// The channel with the lowest SQNR of `alone`, among those with a signal.
  [[nodiscard]] std::optional<std::size_t> worst_channel() const;
  /// Noise of rounding to the nearest code: a twelfth of a squared step per element.
  [[nodiscard]] double rounding_noise() const;

  std::optional<Step> step;
  ErrorSums accumulated, alone;
  std::vector<ChannelSums> channels;           ///< of the last axis; by `alone` if it is known
  Extent<float> reference;                     ///< by `alone` if it is known
  std::int64_t at_least = 0, at_greatest = 0;  ///< elements with the lowest and highest code
  std::int64_t below = 0, above = 0;           ///< elements whose reference is outside the codes by half a step or more
  double clipping_noise = 0;                   ///< squares of the differences of those elements
  std::vector<std::int64_t> bins, float_bins;  ///< of codes, and of the codes nearest to the reference
  std::vector<bool> used;                      ///< codes
  tflite::SumRange sums;                       ///< of the accumulators
};

}  // namespace macaw::accuracy
