#include <algorithm>
#include <numeric>

#include "reference/tosa/kernels/convert/scale_block.hpp"

namespace macaw::tosa {
namespace {

// Least number of elements that the scales of a row cover, so that calls for blocks pay: of 32-bit values, which may
// have many rows, and of 48-bit values, which have one.
constexpr std::size_t kLeastPeriod = 128, kLeastPeriod48 = 1024;
// Elements of 32 bits in the widest vectors, and how many a row has at most so that it ends with one.
constexpr std::size_t kVector = 16, kWidest = 1024;

/// As many times `cycle` as make an even number of at least so many elements, and whole vectors if that is not too
/// many.
std::size_t period_of(std::size_t cycle, ApplyScale scaling) {
  const auto least = scaling == ApplyScale::k48 ? kLeastPeriod48 : kLeastPeriod;
  const auto vectors = std::lcm(cycle, kVector), step = vectors <= kWidest ? vectors : std::lcm(cycle, std::size_t{2});
  return (least + step - 1) / step * step;
}

/// One scale if all are the same.
std::vector<Scale> different(std::span<const Scale> scales) {
  const bool same = std::ranges::all_of(scales, [&](const Scale& scale) { return scale == scales.front(); });
  return {scales.begin(), same ? scales.begin() + 1 : scales.end()};
}

/// The first `cycle` elements again and again, up to `size` of them.
template <class T>
void repeat(T* elements, std::size_t cycle, std::size_t size) {
  for (auto i = cycle; i < size; i += cycle) std::copy_n(elements, std::min(cycle, size - i), elements + i);
}

}  // namespace

ScaleRow::ScaleRow(std::span<const Scale> scales, ApplyScale scaling, int bits)
    : scales_(different(scales)), scaling_(scaling), period_(period_of(scales_.size(), scaling)) {
  const auto least = std::ranges::min(scales_, {}, &Scale::shift).shift;
  // The magnitude of a result is at most 2^power + 1.
  const bool short_multiplier = scaling == ApplyScale::k16 || scaling == ApplyScale::k48;
  const auto power = bits - 1 + (short_multiplier ? 15 : 31) - least;
  results_are_small_ = power < 30;
  if (short_multiplier) rule_ = power > 30 ? Rule::kResult : Rule::kNone;
  else rule_ = bits > least ? Rule::kValue : Rule::kNone;

  const std::size_t halves = scaling == ApplyScale::k48 ? 1 : 2;
  const auto size = is_uniform() ? halves : period_;  // halves of one element each, if it is always the same
  for (std::size_t h = 0; h < halves; ++h) halves_.emplace_back(size / halves, scaling);
  for (std::size_t h = 0; h < halves; ++h) fill(halves_[h], h % scales_.size(), halves);
  if (rule_ != Rule::kValue) return;
  limits_ = Scratch<std::int32_t>(size);
  auto* limits = limits_.data();
  for (std::size_t i = 0; i < std::min(size, scales_.size()); ++i) limits[i] = std::min(scales_[i].shift - 1, 31);
  repeat(limits, scales_.size(), size);
}

void ScaleRow::fill(Half& half, std::size_t first, std::size_t step) const {
  const auto size = half.multipliers.size(), cycle = scales_.size() / std::gcd(scales_.size(), step);
  auto *multipliers = half.multipliers.data(), *rounds = half.rounds.data(), *shifts = half.shifts.data(),
       *less = half.less.data();
  const bool twice = scaling_ == ApplyScale::k32Twice;
  for (std::size_t i = 0, next = first; i < std::min(size, cycle); ++i) {
    const auto& [multiplier, shift] = scales_[next];
    const auto first_round = twice && shift > 31 ? std::int64_t{1} << 30 : 0;
    multipliers[i] = multiplier;
    rounds[i] = (std::int64_t{1} << (shift - 1)) + first_round;
    shifts[i] = shift;
    if (twice) less[i] = 2 * first_round;
    for (next += step; next >= scales_.size();) next -= scales_.size();
  }
  for (auto* column : {multipliers, rounds, shifts}) repeat(column, cycle, size);
  if (twice) repeat(less, cycle, size);
}

bool scale_block_scalar(const ScaleBlock& block) {
  const auto scaling = block.row.scaling();
  bool holds = true;
  for (std::size_t row = 0; row < block.rows; ++row)
    for (std::size_t i = 0; i < block.size; ++i) {
      const auto& scale = block.row.scale(block.first + i);
      const auto at = row * block.pitch + i;
      const auto value = block.bytes ? block.bytes[at] - block.zero_point : block.values[at];
      block.out[row * block.out_pitch + i] = scaling == ApplyScale::k16
                                                 ? apply_scale_16(value, scale, holds)
                                                 : apply_scale_32(value, scale, scaling == ApplyScale::k32Twice, holds);
    }
  return holds;
}

bool scale_block_scalar(const ScaleBlock48& block) {
  bool holds = true;
  for (std::size_t i = 0; i < block.size; ++i)
    block.out[i] = apply_scale_16(low_48_bits(block.values[i]), block.row.scale(block.first + i), holds);
  return holds;
}

}  // namespace macaw::tosa
