#include <atomic>

#include "reference/fast/gemm/byte_taps.hpp"
#include "reference/fast/window/accumulator.hpp"
#include "reference/fast/window/depthwise.hpp"

namespace macaw::tosa {
namespace {

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
    for (std::size_t t = 0; t < taps_; ++t)
      for (std::size_t c = 0; c < channels_; ++c) {
        const auto value = static_cast<std::int16_t>(weight[t * channels_ + c] - weight_zero_point);
        weights_[(t / 2 * channels_ + c) * 2 + t % 2] = value;
        offsets_[c] -= zero_point_ * value;
      }
    const auto bias = call.in_data<std::int32_t>(2);
    for (std::size_t c = 0; c < channels_; ++c) bias_[c] = bias[bias.size() == 1 ? 0 : c];
  }

  static bool fits(const Call& call) {
    constexpr Wide kGreatestProduct = 255 * 255;
    const auto& kernel = call.in(1).shape();
    return kernel[3] == 1 && kGreatestProduct * kernel[0] * kernel[1] <= kAccumulatorMaximum<std::int8_t>;
  }

  [[nodiscard]] const DepthwiseWindow& window() const { return window_; }

  /// Rows [first, end); whether all fit.
  bool run(std::size_t first, std::size_t end, std::int32_t* out) const {
    std::vector<const std::int8_t*> taps(taps_ + taps_ % 2, outside_.data());
    const auto sum = scalar_ ? sum_byte_taps_scalar : sum_byte_taps;
    bool holds = true;
    out += first * window_.row_size();
    for (; first < end; ++first)
      for (std::int64_t ox = 0; ox < window_.width(); ++ox, out += channels_) {
        window_.for_each_tap(first, ox, [&](std::size_t tap, std::int64_t offset) {
          taps[tap] = offset < 0 ? outside_.data() : input_ + offset;
        });
        holds &= sum({taps, weights_.data(), zero_point_, bias_.data(), channels_, offsets_.data()}, out);
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
  auto* out = call.fill_data<std::int32_t>(0).data();
  std::atomic<bool> holds = true;
  depthwise.window().split_rows(call, [&](std::size_t first, std::size_t end) {
    if (!depthwise.run(first, end, out)) holds = false;
  });
  call.require(holds, kSumFits);
  return {};
}

}  // namespace macaw::tosa
