#pragma once
#include "tests/unit/sim/datapath/plain.hpp"

#include <algorithm>

// Operations of random make for the plain rules of plain.hpp.
namespace macaw::npu::test {

class Dice {
 public:
  explicit Dice(unsigned seed) : random_(seed) {}
  /// A number of [low, high].
  int pick(int low, int high) { return low + static_cast<int>(random_() % static_cast<unsigned>(high - low + 1)); }
  bool one_in(int n) { return pick(1, n) == 1; }
  std::uint32_t bits(int count) { return static_cast<std::uint32_t>(random_() & ((std::uint64_t{1} << count) - 1)); }
  template <class T>
  T of(std::initializer_list<T> values) {
    return values.begin()[pick(0, static_cast<int>(values.size()) - 1)];
  }
  /// A value of a type: often an end of its range or close to `middle`.
  std::int64_t value(int width, bool is_signed, std::int64_t middle) {
    const plain::Number low = plain::least(width, is_signed), high = plain::greatest(width, is_signed);
    plain::Number v = pick(0, 1) ? low + random_() : (low + high) / 2 + pick(-40, 40);
    if (one_in(4)) v = of({low, low + 1, high - 1, high});
    else if (one_in(4)) v = middle + pick(-3, 3);
    return static_cast<std::int64_t>(plain::low_bits(v, width, is_signed));
  }

 private:
  std::mt19937 random_;
};

/// Feature maps side by side in one arena, in random layouts, with gaps, in tiles, some upside down.
class Maps {
 public:
  explicit Maps(Dice& dice) : dice_(dice) {}

  FeatureMap place(int h, int w, int c, int bits, bool is_signed) {
    FeatureMap map = feature_map(0, h, w, c, bits, dice_.of({Layout::kNHWC, Layout::kNHCWB16}));
    map.is_signed = is_signed;
    map.zero_point = bits == 32 ? 0 : static_cast<std::int32_t>(dice_.value(bits, is_signed, 0));
    const int unit = map.layout == Layout::kNHWC ? map.bytes() : 16;
    if (map.layout == Layout::kNHWC) map.stride_x += unit * dice_.pick(0, 2);
    else map.stride_c += unit * dice_.pick(0, 2);
    const int across = map.layout == Layout::kNHWC ? w : (c + 15) / 16;
    map.stride_y = (map.layout == Layout::kNHWC ? map.stride_x : map.stride_c) * across + unit * dice_.pick(0, 2);
    map.width0 = dice_.one_in(3) ? dice_.pick(1, w) : w;
    map.height0 = dice_.one_in(3) ? dice_.pick(1, h) : h;
    map.height1 = dice_.one_in(3) ? dice_.pick(1, h) : h;
    const bool upside_down = map.layout == Layout::kNHWC && dice_.one_in(6);
    const std::array<int, 4> rows = {std::min(h, map.height0), std::min(h, map.height1), h - map.height0,
                                     h - map.height1};
    std::array<std::size_t, 4> order = {0, 1, 2, 3};
    for (std::size_t i = 0; i < 4; ++i) std::swap(order[i], order[static_cast<std::size_t>(dice_.pick(0, 3))]);
    for (const std::size_t tile : order) {
      if (rows[tile] <= 0 || (tile % 2 == 1 && map.width0 >= w)) continue;
      map.base[tile] = free_ + static_cast<std::uint64_t>(upside_down ? (rows[tile] - 1) * map.stride_y : 0);
      free_ += static_cast<std::size_t>(rows[tile] * map.stride_y + 31) / 16 * 16;
    }
    if (upside_down) map.stride_y = -map.stride_y;
    end_ = std::max(end_, end_of(map));
    return map;
  }

  /// Makes the arena just as long as the maps need and fills it with anything.
  void fill(Bench& bench) {
    bench.arena.resize(end_);
    for (auto& byte : bench.arena) byte = static_cast<std::uint8_t>(dice_.bits(8));
  }
  void fill(Bench& bench, const FeatureMap& map) {
    for_each(map, [&](int y, int x, int c) {
      plain::put(bench.arena, map, y, x, c, dice_.value(map.bits, map.is_signed, map.zero_point));
    });
  }

 private:
  template <class Fn>
  static void for_each(const FeatureMap& map, Fn&& fn) {
    for (int y = 0; y < map.h; ++y)
      for (int x = 0; x < map.w; ++x)
        for (int c = 0; c < map.c; ++c) fn(y, x, c);
  }
  static std::size_t end_of(const FeatureMap& map) {
    std::size_t end = 0;
    for_each(map, [&](int y, int x, int c) {
      end = std::max(end, plain::address(map, y, x, c) + static_cast<std::size_t>(map.bytes()));
    });
    return end;
  }

  Dice& dice_;
  std::size_t free_ = 0, end_ = 0;
};

/// A scale and a shift that bring a value of `width` bits to at most `most`.
inline Scaling random_scale(Dice& dice, int width, int most, bool u85) {
  const int bits = dice.pick(1, 31);
  Scaling scale;
  scale.scale = dice.one_in(4) ? 1 : dice.bits(bits) | 1U << (bits - 1);
  const int least = std::max(0, bits + width - most);
  scale.shift = dice.pick(least, std::max(least, std::min(63, bits + dice.pick(0, width))));
  scale.rounding = u85 ? static_cast<Rounding>(dice.pick(0, 5))
                       : dice.of({Rounding::kDoubleSymmetric, Rounding::kTruncateToZero, Rounding::kNatural});
  scale.dbl = u85 ? dice.pick(0, 30) : 0;
  return scale;
}

/// A random function, clip range and bounds; fills the tables.
inline void random_output(Dice& dice, Bench& bench, BlockOperation& op) {
  for (auto& byte : bench.internal) byte = static_cast<std::uint8_t>(dice.bits(8));
  const bool u85 = op.family == Family::kU85;
  Activation& activation = op.activation;
  const int bits = op.ofm.bits;
  op.ofm.zero_point = static_cast<std::int32_t>(dice.value(std::min(bits, 16), op.ofm.is_signed, 0));
  bool signed_bounds = op.ofm.is_signed;
  int width = std::min(bits, 16);
  if (u85) {
    activation.clip = dice.one_in(3) ? ClipRange::kNone : ClipRange::kOfmPrecision;
    if (dice.one_in(3)) {
      activation.form = static_cast<TableForm>(dice.pick(1, 8));
      activation.function = activation.form == TableForm::kTanh      ? ActivationFunction::kTanh
                            : activation.form == TableForm::kSigmoid ? ActivationFunction::kSigmoid
                                                                     : ActivationFunction::kTable;
      const bool words = activation.form >= TableForm::kS16S16;
      activation.table = words ? 0 : dice.pick(0, activation.form == TableForm::kS8S32 ? 1 : 3);
      signed_bounds = activation.form != TableForm::kU8U8;
      width = words ? 16 : 8;
    }
  } else {
    const int kind = dice.pick(0, 5);
    if (kind == 0 && bits <= 16) activation.function = ActivationFunction::kTanh;
    if (kind == 1 && bits <= 16) activation.function = ActivationFunction::kSigmoid;
    if (kind == 2) activation.function = ActivationFunction::kTable;
    if (activation.function == ActivationFunction::kTable && bits < 16) activation.table = dice.pick(0, 7);
    if (activation.function == ActivationFunction::kTable && bits == 32) activation.table = dice.of({0, 4});
    if (dice.one_in(4))
      activation.clip = dice.of({ClipRange::kForceUint8, ClipRange::kForceInt8, ClipRange::kForceInt16});
    if (activation.function == ActivationFunction::kTable && bits == 32) activation.clip = ClipRange::kForceInt8;
    if (activation.clip != ClipRange::kOfmPrecision) {
      signed_bounds = true;
      width = dice.of({8, 16});
    }
  }
  std::int64_t low = dice.value(width, signed_bounds, op.ofm.zero_point);
  std::int64_t high = dice.value(width, signed_bounds, op.ofm.zero_point);
  if (low > high) std::swap(low, high);
  if (dice.pick(0, 1)) low = static_cast<std::int64_t>(plain::least(width, signed_bounds));
  if (dice.pick(0, 1)) high = static_cast<std::int64_t>(plain::greatest(width, signed_bounds));
  activation.min = static_cast<std::uint16_t>(low);
  activation.max = static_cast<std::uint16_t>(high);
}

}  // namespace macaw::npu::test
