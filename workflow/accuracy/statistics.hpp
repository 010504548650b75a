#pragma once
#include <macaw/quantization.hpp>
#include <macaw/tensor.hpp>
#include <macaw/tflite/interpreter.hpp>

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace macaw::accuracy {

/// How far values are from their reference, summed over elements.
struct ErrorSums {
  std::int64_t count = 0;
  double signal = 0;   ///< squares of the reference
  double noise = 0;    ///< squares of the differences
  double product = 0;  ///< reference times value
  double energy = 0;   ///< squares of the values
  double error = 0;    ///< differences, value less reference
  double largest = 0;  ///< difference, without its sign

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
  /// The factor between the values and the reference, by least squares.
  [[nodiscard]] double gain() const { return signal > 0 ? product / signal : 1; }
};

/// Least and greatest of values.
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

  /// Whether the quantised channel never changes although the reference does.
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
/// Null for tensors that do not have one scale, or are not of 8 or 16 bits.
[[nodiscard]] std::optional<Step> step_of(DType dtype, const Quantization* quantization);

/// Sums over all sets of inputs for one tensor; their size does not depend on the number of sets.
class TensorSums {
 public:
  /// Bins of the distributions: codes, those of 16 bits in groups of 256.
  static constexpr std::size_t kBins = 256;

  TensorSums(const Shape& shape, std::optional<Step> step);

  /// One run: what the float network has, what the float operator makes of the quantised operands (null: not known),
  /// the values of the quantised run, and the integers that they are (null: floats). All have as many elements.
  void add(const Tensor& reference, const Tensor* alone, const Tensor& value, const Tensor* codes);
  void merge(const TensorSums& other);

  [[nodiscard]] std::size_t channel_count() const { return channels.size(); }
  [[nodiscard]] std::int64_t codes_used() const;
  [[nodiscard]] std::int64_t dead_channels() const;
  /// The channel with the lowest SQNR of `alone`, of those that have a signal.
  [[nodiscard]] std::optional<std::size_t> worst_channel() const;
  /// Noise that rounding to the nearest code would make: a twelfth of a squared step for each element.
  [[nodiscard]] double rounding_noise() const;

  std::optional<Step> step;
  ErrorSums accumulated, alone;
  std::vector<ChannelSums> channels;           ///< of the last axis; by `alone` where it is known
  Extent<float> reference;                     ///< by `alone` where it is known
  std::int64_t at_least = 0, at_greatest = 0;  ///< elements with the least and greatest code
  std::int64_t below = 0, above = 0;           ///< elements whose reference lies half a step or more outside the codes
  double clipping_noise = 0;                   ///< squares of the differences of those elements
  std::vector<std::int64_t> bins, float_bins;  ///< of codes, and of the codes that the reference is nearest to
  std::vector<bool> used;                      ///< codes
  tflite::SumRange sums;                       ///< of the accumulators
};

}  // namespace macaw::accuracy
