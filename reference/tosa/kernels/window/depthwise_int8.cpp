#include <atomic>

#include "reference/tosa/kernels/best_version.hpp"
#include "reference/tosa/kernels/fusion.hpp"
#include "reference/tosa/kernels/gemm/byte_taps.hpp"
#include "reference/tosa/kernels/gemm/scratch.hpp"
#include "reference/tosa/kernels/window/accumulator.hpp"
#include "reference/tosa/kernels/window/depthwise.hpp"

namespace macaw::tosa {
namespace {

// Number of elements that are passed on together, so that the second operator finds them in the first-level cache.
constexpr std::size_t kSumsOfTile = 4096;

/// Weights of two taps, side by side for each channel, less their zero point; subtracts the contribution of the input's
/// zero point from `offsets`.
void widen_pair(const std::int8_t* first, const std::int8_t* second, std::int16_t weight_zero_point,
                std::int32_t zero_point, std::int16_t* to, std::int32_t* offsets, std::size_t channels) {
  for (std::size_t c = 0; c < channels; ++c) {
    const auto a = static_cast<std::int16_t>(first[c] - weight_zero_point),
               b = static_cast<std::int16_t>(second[c] - weight_zero_point);
    to[2 * c] = a;
    to[2 * c + 1] = b;
    offsets[c] -= zero_point * (a + b);
  }
}

/// One output channel for each input channel, and so few taps that no sum overflows.
class ByteDepthwise {
 public:
  explicit ByteDepthwise(const Call& call)
      : window_(call),
        input_(call.in_data<std::int8_t>(0).data()),
        zero_point_(call.in_data<std::int8_t>(3)[0]),
        taps_(window_.taps()),
        channels_(window_.channels()),
        weights_((taps_ + taps_ % 2) * channels_),
        outside_(channels_, zero_point_),
        bias_(channels_),
        offsets_(channels_),
        scalar_(call.kernels == Kernels::kScalar) {
    const auto* weight = call.in_data<std::int8_t>(1).data();
    const std::int16_t weight_zero_point = call.in_data<std::int8_t>(4)[0];
    const auto widen = best_version<widen_pair>(call.kernels);
    // The second weight of an odd last tap stands for 0.
    const std::vector<std::int8_t> none(taps_ % 2 * channels_, static_cast<std::int8_t>(weight_zero_point));
    for (std::size_t t = 0; t < taps_; t += 2)
      widen(weight + t * channels_, t + 1 < taps_ ? weight + (t + 1) * channels_ : none.data(), weight_zero_point,
            zero_point_, weights_.data() + t * channels_, offsets_.data(), channels_);
    const auto bias = call.in_data<std::int32_t>(2);
    for (std::size_t c = 0; c < channels_; ++c) bias_[c] = bias[bias.size() == 1 ? 0 : c];
  }

  static bool fits(const Call& call) {
    constexpr Wide kGreatestProduct = 255 * 255;
    const auto& kernel = call.in(1).shape();
    return kernel[3] == 1 && kGreatestProduct * kernel[0] * kernel[1] <= kAccumulatorMaximum<std::int8_t>;
  }

  [[nodiscard]] const DepthwiseWindow& window() const { return window_; }

  /// Positions [first, end), a few of which are passed on at a time.
  bool run(std::size_t first, std::size_t end, const Fusion& after) const {
    const auto most = std::max<std::size_t>(kSumsOfTile / std::max<std::size_t>(channels_, 1), 1);
    Scratch<std::int32_t> sums(std::min(most, end - first) * channels_);
    bool holds = true;
    for (; first < end; first += most) {
      const auto count = std::min(most, end - first), size = count * channels_;
      holds &= run(first, first + count, sums.data());
      after.pass_tile({first * channels_, 1, size, size, reinterpret_cast<const std::byte*>(sums.data()), size});
    }
    return holds;
  }

  /// Positions [first, end), to `out` and behind it; whether all fit.
  bool run(std::size_t first, std::size_t end, std::int32_t* out) const {
    std::vector<const std::int8_t*> taps(taps_ + taps_ % 2, outside_.data());
    std::vector<std::int64_t> rows(window_.kernel_rows());
    const auto sum = scalar_ ? sum_byte_taps_scalar : sum_byte_taps;
    const auto width = static_cast<std::size_t>(window_.width());
    bool holds = true;
    while (first < end) {
      window_.fill_rows(first / width, rows);
      const auto row_end = std::min((first / width + 1) * width, end);
      for (auto ox = static_cast<std::int64_t>(first % width); first < row_end; ++first, ++ox, out += channels_) {
        window_.for_each_tap(rows, ox, [&](std::size_t tap, std::int64_t offset) {
          taps[tap] = offset < 0 ? outside_.data() : input_ + offset;
        });
        holds &= sum({taps, weights_.data(), zero_point_, bias_.data(), channels_, offsets_.data()}, out);
      }
    }
    return holds;
  }

 private:
  DepthwiseWindow window_;
  const std::int8_t* input_;
  std::int8_t zero_point_;
  std::size_t taps_, channels_;
  std::vector<std::int16_t> weights_;
  std::vector<std::int8_t> outside_;
  std::vector<std::int32_t> bias_, offsets_;
  bool scalar_;
};

}  // namespace

Result<void> depthwise_int8(Call& call) {
  if (!ByteDepthwise::fits(call)) return depthwise_integers<std::int8_t>(call);
  const ByteDepthwise depthwise(call);
  if (call.after) call.after->start();
  auto* out = call.after ? nullptr : call.fill_data<std::int32_t>(0).data();
  std::atomic<bool> holds = true;
  depthwise.window().split_positions(call, [&](std::size_t first, std::size_t end) {
    const bool fits = call.after ? depthwise.run(first, end, *call.after)
                                 : depthwise.run(first, end, out + first * depthwise.window().channels());
    if (!fits) holds = false;
  });
  call.require(holds, kSumFits);
  return {};
}

}  // namespace macaw::tosa
