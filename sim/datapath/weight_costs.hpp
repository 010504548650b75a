#pragma once
#include "sim/datapath/weight_stream_format.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

// Size in bits of the symbols of a weight stream in each coding, for the encoder's search.
namespace macaw::npu::weight_stream {

using Cost = std::uint64_t;
inline constexpr Cost kImpossible = std::numeric_limits<Cost>::max() / 4;
inline constexpr Cost kSliceHeader = kZdivBits + kSliceLengthBits + kWdivBits + 2;
inline constexpr Cost kSliceOverhead = kSliceHeader + 12;  ///< including the unused positions of its last chunks, on
                                                           ///< average
inline constexpr int kMaxQuotient = 31;                    ///< limit of Arm's encoder
inline constexpr int kValues = kMaxFolded + 1;
inline constexpr std::size_t kIndices = kValues + kMaxPalette;

struct WeightCoding {
  int wdiv = 0;
  bool truncated = false;
};
inline constexpr auto kWeightCodings = [] {
  std::array<WeightCoding, 13> codings{};
  for (int i = 0; i < 12; ++i) codings[static_cast<std::size_t>(i)] = {i % 6, i >= 6};
  codings[12] = {kWdivRaw, false};
  return codings;
}();

/// Sums over symbols that determine their size in any coding.
class SymbolSums {
 public:
  explicit SymbolSums(std::span<const int> indices) : count_(indices.size()) {
    for (const int index : indices) highest_ = std::max(highest_, index);
    for (std::size_t d = 0; d < kDivisors; ++d)
      for (const int index : indices) {
        quotients_[d] += static_cast<Cost>(index >> d);
        without_quotient_[d] += index >> d == 0;
      }
  }
  /// times[i]: number of occurrences of index i. Quotients of at least n are those of indices of at least n times the
  /// divisor.
  explicit SymbolSums(std::span<const std::uint32_t> times) {
    std::array<Cost, kIndices + 1> at_least{};
    for (std::size_t i = times.size(); i-- > 0;) {
      at_least[i] = at_least[i + 1] + times[i];
      if (times[i] > 0 && highest_ == 0) highest_ = static_cast<int>(i);
    }
    count_ = at_least[0];
    for (std::size_t d = 0; d < kDivisors; ++d) {
      for (std::size_t i = std::size_t{1} << d; i < times.size(); i += std::size_t{1} << d)
        quotients_[d] += at_least[i];
      without_quotient_[d] = count_ - at_least[std::size_t{1} << d];
    }
  }
  [[nodiscard]] int highest() const { return highest_; }
  [[nodiscard]] Cost cost(const WeightCoding& coding, int raw_bits) const {
    if (coding.wdiv == kWdivRaw) return highest_ < (1 << raw_bits) ? count_ * static_cast<Cost>(raw_bits) : kImpossible;
    const auto divisor = static_cast<std::size_t>(coding.wdiv);
    if (coding.truncated)
      return highest_ >> divisor > 2 ? kImpossible : count_ * (divisor + 2) - without_quotient_[divisor];
    return highest_ >> divisor > kMaxQuotient ? kImpossible : count_ * (divisor + 1) + quotients_[divisor];
  }

 private:
  static constexpr std::size_t kDivisors = 6;
  int highest_ = 0;
  Cost count_ = 0;
  std::array<Cost, kDivisors> quotients_{}, without_quotient_{};
};
inline Cost run_cost(std::size_t run, int zdiv) { return (run >> zdiv) + 1 + static_cast<Cost>(zdiv); }

}  // namespace macaw::npu::weight_stream
