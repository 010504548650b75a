#include <algorithm>
#include <atomic>

#include "reference/tosa/kernels/gemm/overflow.hpp"
#include "reference/tosa/kernels/gemm/scratch.hpp"
#include "reference/tosa/kernels/gemm/taps.hpp"
#include "reference/tosa/kernels/window/accumulator.hpp"
#include "reference/tosa/kernels/window/depthwise.hpp"

namespace macaw::tosa {
namespace {

/// Largest magnitude of an element less the zero point.
template <class In>
std::int64_t largest(std::span<const In> values, In zero_point) {
  const auto [low, high] = std::ranges::minmax(values);
  return std::max<std::int64_t>(std::int64_t{zero_point} - low, std::int64_t{high} - zero_point);
}

template <class In>
class Depthwise {
 public:
  using Sum = Accumulator<In>;

  explicit Depthwise(Call& call)
      : window_(call),
        scalar_(call.kernels == Kernels::kScalar),
        input_(call.in_data<In>(0)),
        zero_point_(call.in_data<In>(3)[0]),
        weights_(call.in_data<std::int8_t>(1).size()),
        bias_(call.in_data<Sum>(2)),
        out_(call.fill_data<Sum>(0).data()) {
    const auto weight = call.in_data<std::int8_t>(1);
    const auto weight_zero_point = call.in_data<std::int8_t>(4)[0];
    for (std::size_t i = 0; i < weight.size(); ++i)
      weights_[i] = static_cast<std::int16_t>(weight[i] - weight_zero_point);
    safe_ = Wide{largest(input_, zero_point_)} * largest(weight, weight_zero_point) *
                static_cast<std::int64_t>(window_.taps()) <=
            kAccumulatorMaximum<In>;
  }

  [[nodiscard]] const DepthwiseWindow& window() const { return window_; }

  /// Rows [first, end); whether all fit.
  bool run(std::size_t first, std::size_t end) const {
    Work work(window_.out_channels());
    auto* out = out_ + first * window_.row_size();
    bool holds = true;
    for (; first < end; ++first)
      for (std::int64_t ox = 0; ox < window_.width(); ++ox, out += work.sums.size()) {
        work.taps.clear();
        window_.for_each_tap(first, ox, [&](std::size_t tap, std::int64_t offset) {
          if (offset >= 0)
            work.taps.push_back({input_.data() + offset, weights_.data() + tap * window_.out_channels()});
        });
        std::ranges::fill(work.sums, Sum{0});
        if (safe_) sum_all(work);
        else holds &= sum_checked(work);
        holds &= add_bias(work.sums.data(), bias_.data(), bias_.size() == 1 ? 0 : 1, work.sums.size(), out);
      }
    return holds;
  }

 private:
  /// For one output position.
  struct Work {
    explicit Work(std::size_t channels) : sums(channels), products(channels), part(sizeof(Sum) == 4 ? 0 : channels) {}

    std::vector<Tap<In>> taps;
    std::vector<Sum> sums, products;
    std::vector<std::int32_t> part;
  };

  /// Adds to sums, modulo the accumulator's size.
  void accumulate(const Tap<In>& tap, std::vector<Sum>& sums) const {
    using U = std::make_unsigned_t<Sum>;
    const auto multiplier = window_.multiplier();
    const auto* weight = tap.weight;
    auto* sum = sums.data();
    // A product of 17 by 9 bits fits an int; sums of 48 bits cannot leave 64.
    for (std::size_t c = 0; c < window_.channels(); ++c, weight += multiplier, sum += multiplier) {
      const int value = tap.in[c] - zero_point_;
      for (std::size_t m = 0; m < multiplier; ++m)
        sum[m] = static_cast<Sum>(static_cast<U>(sum[m]) + static_cast<U>(static_cast<Sum>(value * weight[m])));
    }
  }

  /// Int16 in steps that the vector kernel can hold in 32 bits; its zero point is 0 (the checks ensure it).
  void sum_all(Work& work) const {
    if constexpr (sizeof(Sum) == 8)
      if (window_.multiplier() == 1) {
        const std::span<const Tap<In>> taps(work.taps);
        const auto sum = scalar_ ? sum_taps_scalar : sum_taps;
        for (std::size_t first = 0; first < taps.size(); first += kExactTaps) {
          sum(taps.subspan(first, std::min(kExactTaps, taps.size() - first)), work.part);
          for (std::size_t i = 0; i < work.sums.size(); ++i) work.sums[i] += work.part[i];
        }
        return;
      }
    for (const auto& tap : work.taps) accumulate(tap, work.sums);
  }

  /// One tap after the other; whether every sum on the way fits.
  bool sum_checked(Work& work) const {
    bool holds = true;
    for (const auto& tap : work.taps) {
      std::ranges::fill(work.products, Sum{0});
      accumulate(tap, work.products);
      holds &= add_bias(work.sums.data(), work.products.data(), 1, work.sums.size(), work.sums.data());
    }
    return holds;
  }

  DepthwiseWindow window_;
  bool scalar_;
  std::span<const In> input_;
  In zero_point_;
  Scratch<std::int16_t> weights_;
  std::span<const Sum> bias_;
  Sum* out_;
  bool safe_;
};

}  // namespace

template <class In>
Result<void> depthwise_integers(Call& call) {
  const Depthwise<In> depthwise(call);
  std::atomic<bool> holds = true;
  depthwise.window().split_rows(call, [&](std::size_t first, std::size_t end) {
    if (!depthwise.run(first, end)) holds = false;
  });
  call.require(holds, kSumFits);
  return {};
}

template Result<void> depthwise_integers<std::int8_t>(Call&);
template Result<void> depthwise_integers<std::int16_t>(Call&);

}  // namespace macaw::tosa
