#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "workflow/accuracy/accuracy.hpp"

namespace macaw::accuracy {
namespace {

// A layer that keeps more than this by itself is sound: three layers of it still leave 30 dB.
constexpr double kSoundSqnr = 35;
// Noise beyond that of rounding from which on something other than rounding is to blame: twice as much.
constexpr double kExcess = 2;
constexpr double kMostShare = 0.5;      // of the noise, that one cause makes
constexpr double kGainError = 0.05;     // rounding leaves a gain of 1
constexpr double kRangeRatio = 8;       // of weights between channels: 3 of 8 bits
constexpr std::int64_t kFewCodes = 16;  // of a filter of 8 bits
constexpr double kUsedRange = 0.25;     // of what the codes express

/// The share of the noise that a constant factor, or a constant offset, explains.
double gain_share(const ErrorSums& sums) {
  const double off = sums.gain() - 1;
  return sums.noise > 0 ? off * off * sums.signal / sums.noise : 0;
}
double bias_share(const ErrorSums& sums) {
  return sums.noise > 0 ? sums.error * sums.error / static_cast<double>(sums.count) / sums.noise : 0;
}

class Advisor {
 public:
  Advisor(const Layer& layer, std::size_t index, std::vector<Advice>& list)
      : layer_(layer), sums_(layer.sums), own_(sums_.alone), index_(index), list_(list) {}

  void advise() {
    if (own_.count == 0 || !sums_.step || !(own_.sqnr() < kSoundSqnr)) return;
    const double excess = own_.noise / sums_.rounding_noise();
    if (excess >= kExcess) {
      const bool found = clipping() || bias() || gain();
      dead_channels();
      if (!weights() && !found) other(excess);
    } else if (!layer_.keeps_scale && !unused_range()) {
      bits();
    }
  }

 private:
  void add(std::string what, std::string evidence) { list_.push_back({index_, std::move(what), std::move(evidence)}); }
  [[nodiscard]] double percent(double part) const { return 100 * part; }

  bool clipping() {
    const auto outside = sums_.below + sums_.above;
    if (outside == 0 || sums_.clipping_noise < kMostShare * own_.noise) return false;
    add("widen the calibrated range of its output",
        fmt::format("{:.3g} % of its values lie outside [{:.4g}, {:.4g}], they reach from {:.4g} to {:.4g} and make "
                    "{:.0f} % of its error",
                    percent(static_cast<double>(outside) / static_cast<double>(own_.count)),
                    sums_.step->real(sums_.step->least), sums_.step->real(sums_.step->greatest), sums_.reference.least,
                    sums_.reference.greatest, percent(sums_.clipping_noise / own_.noise)));
    return true;
  }

  bool bias() {
    const double share = bias_share(own_);
    if (share < kMostShare) return false;
    add("check its zero points and bias",
        fmt::format("its values are {:+.2f} steps off on average, which is {:.0f} % of its error",
                    own_.mean_error() / sums_.step->scale, percent(share)));
    return true;
  }

  bool gain() {
    const double share = gain_share(own_);
    if (share < kMostShare || std::abs(own_.gain() - 1) < kGainError) return false;
    add("check the scales of its operands",
        fmt::format("its values are {:.3g} times those of the float operator, which is {:.0f} % of its error",
                    own_.gain(), percent(share)));
    return true;
  }

  void dead_channels() {
    const auto dead = sums_.dead_channels();
    if (dead == 0) return;
    double signal = 0;
    for (const auto& channel : sums_.channels)
      if (channel.is_dead()) signal += channel.noise;
    if (signal < kMostShare * own_.noise) return;
    add("requantise the weights of its dead channels",
        fmt::format("{} of {} channels never change although the float operator's do; they make {:.0f} % of its error",
                    dead, sums_.channels.size(), percent(signal / own_.noise)));
  }

  bool weights() {
    if (!layer_.filter) return false;
    const auto& filter = *layer_.filter;
    if (filter.codes_used <= kFewCodes) {
      add("keep its weights in 8 bits", fmt::format("its filter uses {} different values", filter.codes_used));
      return true;
    }
    if (filter.scales > 1 || filter.range_ratio < kRangeRatio) return false;
    const auto worst = sums_.worst_channel();
    add("use a scale of the weights for each output channel",
        fmt::format("one scale serves channels whose largest weights differ {:.3g} times{}", filter.range_ratio,
                    worst ? fmt::format("; channel {} has {:.1f} dB", *worst, channel_sqnr(*worst)) : ""));
    return true;
  }

  void other(double excess) {
    add("look at its weights and tables first",
        fmt::format("its error is {:.3g} times that of rounding its output", excess));
  }

  bool unused_range() {
    const double all = sums_.step->real(sums_.step->greatest) - sums_.step->real(sums_.step->least);
    const double used = double{sums_.reference.greatest} - double{sums_.reference.least};
    if (used > kUsedRange * all) return false;
    add("narrow the calibrated range of its output",
        fmt::format("its values reach from {:.4g} to {:.4g}, {:.0f} % of the range of its codes", sums_.reference.least,
                    sums_.reference.greatest, percent(used / all)));
    return true;
  }

  void bits() {
    constexpr double kLowSqnr = 30;
    if (layer_.dtype == DType::kINT16 || own_.sqnr() >= kLowSqnr) return;
    add("use 16-bit activations for its output",
        fmt::format("rounding to 8 bits leaves {:.1f} dB although its values, from {:.4g} to {:.4g}, need the range of "
                    "its codes",
                    own_.sqnr(), sums_.reference.least, sums_.reference.greatest));
  }

  [[nodiscard]] double channel_sqnr(std::size_t i) const {
    return 10 * std::log10(sums_.channels[i].signal / sums_.channels[i].noise);
  }

  const Layer& layer_;
  const TensorSums& sums_;
  const ErrorSums& own_;
  std::size_t index_;
  std::vector<Advice>& list_;
};

}  // namespace

std::vector<Advice> advise(const Accuracy& accuracy) {
  std::vector<Advice> list;
  for (const auto i : accuracy.ranking()) Advisor(accuracy.layers[i], i, list).advise();
  return list;
}

}  // namespace macaw::accuracy
