#include "tests/unit/sim/datapath/plain.hpp"

#include <algorithm>
#include <cmath>

namespace macaw::npu::test::plain {
namespace {

Number power(int exponent) { return Number{1} << exponent; }

constexpr int kLast = 255;  // the sigmoid's table is flat from here on

/// The sigmoid of v >= 0 in units of 2^-16; `steps` of v are 1/24. Exact: no value needs more than 26 bits.
double half_sigmoid(std::int64_t v, int steps) {
  const std::int64_t i = v / steps;
  if (i >= kLast) return 65534.0 + (steps == 256 ? 1.0 : 0.0);  // 0x7FFF << 10 and 0xFFFF << 8 of the reference
  const double fraction = static_cast<double>(v % steps) / steps;
  const auto at = static_cast<double>(table_value(static_cast<int>(i)));
  return at + fraction * (static_cast<double>(table_value(static_cast<int>(i) + 1)) - at);
}

Number entry(std::span<const std::uint8_t> tables, Number index, int bytes, bool is_signed) {
  Number value = 0;
  for (int b = bytes; b-- > 0;) value = value * 256 + tables[static_cast<std::size_t>(index * bytes + b)];
  return low_bits(value, 8 * bytes, is_signed);
}

/// base * 2^k + slope * fraction of a table of 512 segments, each 2^k wide; outside, of the segment at the edge.
Number on_segment(std::span<const std::uint8_t> tables, Number value, int k) {
  const Number segment = std::clamp<Number>(floor_divide(value, power(k)) + 256, 0, 511);
  return entry(tables, 2 * segment, 2, true) * power(k) +
         entry(tables, 2 * segment + 1, 2, true) * low_bits(value, k, false);
}

/// The clamp of u55_u65 5.6.
Number bounded(const BlockOperation& op, Number value, int bits, bool is_signed, bool signed_bounds) {
  const auto bound = [&](std::uint16_t raw) {
    return std::clamp(low_bits(raw, 16, signed_bounds), least(bits, is_signed), greatest(bits, is_signed));
  };
  return std::min(std::max(value, bound(op.activation.min)), bound(op.activation.max));
}

Number finished_u55(const BlockOperation& op, std::span<const std::uint8_t> tables, Number value) {
  const FeatureMap& ofm = op.ofm;
  const ClipRange clip = op.activation.clip;
  const bool forced = clip != ClipRange::kOfmPrecision;
  if (ofm.bits == 32 && !forced) return std::clamp(value, least(32, true), greatest(32, true));
  value += ofm.zero_point;
  const auto argument = static_cast<std::int64_t>(std::clamp(value, -power(40), power(40)));  // flat long before
  if (op.activation.function == ActivationFunction::kTanh) value = tanh(argument);
  if (op.activation.function == ActivationFunction::kSigmoid) value = logistic(argument);
  value = forced ? bounded(op, value, clip == ClipRange::kForceInt16 ? 16 : 8, clip != ClipRange::kForceUint8, true)
                 : bounded(op, value, ofm.bits, ofm.is_signed, ofm.is_signed);
  if (op.activation.function != ActivationFunction::kTable) return value;
  const auto table = tables.subspan(256 * static_cast<std::size_t>(op.activation.table));
  if (ofm.bits == 16) {
    value = floor_divide(on_segment(table, value, 7) + 64, 128);
  } else {
    const bool from_middle = ofm.bits == 32 || ofm.is_signed;
    value = entry(table, std::clamp<Number>(value + (from_middle ? 128 : 0), 0, 255), ofm.bits / 8,
                  ofm.bits == 32 || ofm.is_signed);
  }
  return std::clamp(value, least(ofm.bits, ofm.is_signed), greatest(ofm.bits, ofm.is_signed));
}

Number looked_up_u85(const BlockOperation& op, std::span<const std::uint8_t> tables, Number value) {
  const auto from = [&](std::size_t bytes) {
    return tables.subspan(bytes * static_cast<std::size_t>(op.activation.table));
  };
  const Number byte = low_bits(value + 128, 8, false), word = low_bits(value + 32768, 16, false) - 32768;
  switch (op.activation.form) {
    case TableForm::kFromOfm: return value;
    case TableForm::kU8U8: return entry(from(256), low_bits(value, 8, false), 1, false);
    case TableForm::kS8S8: return entry(from(256), byte, 1, true);
    case TableForm::kS8S16: return entry(from(512), byte, 2, true);
    case TableForm::kS8S32: return entry(from(1024), byte, 4, true);
    case TableForm::kS16S16: return floor_divide(on_segment(from(2048), word, 7) + 64, 128);
    case TableForm::kS16S32: return on_segment(from(2048), word, 7);
    case TableForm::kTanh:
      value = std::clamp(value, -(255 * power(8) - 1), 255 * power(8) - 1);
      return floor_divide(on_segment(tables, value, 8) + 128 - (value < 0), 256);
    case TableForm::kSigmoid:
      value = std::clamp(value, -(255 * power(9) - 1), 255 * power(9) - 1);
      return floor_divide(on_segment(tables, value, 9) + power(24) + 512 - (value < 0), 1024);
  }
  return value;
}

Number finished_u85(const BlockOperation& op, std::span<const std::uint8_t> tables, Number value) {
  const TableForm form = op.activation.form;
  const bool clips = op.activation.clip != ClipRange::kNone;
  const bool signed_bounds = form == TableForm::kFromOfm ? op.ofm.is_signed : form != TableForm::kU8U8;
  const bool before = form != TableForm::kTanh && form != TableForm::kSigmoid;
  const auto limited = [&](Number v) {
    return clips ? std::min(std::max(v, low_bits(op.activation.min, 16, signed_bounds)),
                            low_bits(op.activation.max, 16, signed_bounds))
                 : v;
  };
  value += op.ofm.zero_point;
  value = looked_up_u85(op, tables, before ? limited(value) : value);
  if (!clips) return value;
  return std::clamp(before ? value : limited(value), least(op.ofm.bits, op.ofm.is_signed),
                    greatest(op.ofm.bits, op.ofm.is_signed));
}

/// u85 3.7: the OFM as stored, and where in it an element of the operation lies.
struct Arrangement {
  FeatureMap map;
  std::array<int, 3> axes = {0, 1, 2};
  std::array<int, 3> extents;
  int reversed;

  explicit Arrangement(const BlockOperation& op)
      : map(op.ofm), extents{op.ofm.h, op.ofm.w, op.ofm.c}, reversed(op.reverse - 1) {
    switch (op.transpose) {
      case 1: axes = {1, 0, 2}; break;  // W, H, C
      case 2: axes = {0, 2, 1}; break;  // H, C, W
      case 3: axes = {1, 2, 0}; break;  // W, C, H
      case 6: axes = {2, 0, 1}; break;  // C, H, W
      case 7: axes = {2, 1, 0}; break;  // C, W, H
      default: break;
    }
    map.h = extents[static_cast<std::size_t>(axes[0])];
    map.w = extents[static_cast<std::size_t>(axes[1])];
    map.c = extents[static_cast<std::size_t>(axes[2])];
  }
  [[nodiscard]] std::array<int, 3> place(int y, int x, int c) const {
    std::array<int, 3> at = {y, x, c};
    if (reversed >= 0) {
      const auto axis = static_cast<std::size_t>(reversed);
      at[axis] = extents[axis] - 1 - at[axis];
    }
    return {at[static_cast<std::size_t>(axes[0])], at[static_cast<std::size_t>(axes[1])],
            at[static_cast<std::size_t>(axes[2])]};
  }
};

}  // namespace

Number least(int bits, bool is_signed) { return is_signed ? -power(bits - 1) : 0; }
Number greatest(int bits, bool is_signed) { return power(is_signed ? bits - 1 : bits) - 1; }

Number floor_divide(Number value, Number by) { return value >= 0 ? value / by : -((-value + by - 1) / by); }

Number low_bits(Number value, int bits, bool is_signed) {
  const Number low = value - floor_divide(value, power(bits)) * power(bits);
  return is_signed && low >= power(bits - 1) ? low - power(bits) : low;
}

Number rounded(Number value, const Scaling& s) {
  const bool negative = value < 0;
  const Number half = s.shift > 0 ? power(s.shift - 1) : 0, first = s.shift > 31 - s.dbl ? power(30 - s.dbl) : 0;
  Number r = 0;
  switch (s.rounding) {
    case Rounding::kNatural: r = half; break;
    case Rounding::kDoubleSymmetric: r = negative ? half - first : half + first; break;
    case Rounding::kDoubleAsymmetric: r = half + first; break;
    case Rounding::kSymmetric: r = negative && s.shift > 0 ? half - 1 : half; break;
    case Rounding::kTruncateToZero: r = negative ? power(s.shift) - 1 : 0; break;
    case Rounding::kTruncateToLower: break;
  }
  return floor_divide(value * s.scale + r, power(s.shift));
}

Scaling divisor(std::int64_t taps, int bits, Rounding rounding) {
  int k = 0;
  while (power(k) < taps) ++k;
  const Number scale = (power(bits + k) + power(k)) / taps;
  return {static_cast<std::uint32_t>(scale), bits + k, rounding, 0};
}

std::int64_t table_value(int i) {
  // tensorflow/lite/kernels/internal/common.cc, sigmoid_table_uint16: rounded values, these entries one above.
  static constexpr int kAbove[] = {4,  8,  12, 14, 15, 16, 17, 19, 20,  21,  22,  25,  27,  28, 29,
                                   30, 31, 33, 34, 35, 37, 39, 40, 41,  43,  44,  45,  46,  49, 50,
                                   54, 62, 63, 64, 66, 82, 86, 93, 100, 103, 112, 116, 135, 255};
  const auto nearest = std::llround(65536.0 / (1.0 + std::exp(-i / 24.0)));
  return nearest + (std::find(std::begin(kAbove), std::end(kAbove), i) != std::end(kAbove) ? 1 : 0);
}

std::int64_t logistic(std::int64_t v) {
  const auto upper = static_cast<std::int64_t>(std::floor(half_sigmoid(std::abs(v), 512) / 2 + 0.5));
  return v >= 0 ? upper : 32768 - upper;
}
std::int64_t tanh(std::int64_t v) {
  const auto upper = static_cast<std::int64_t>(std::floor(half_sigmoid(std::abs(v), 256) - 32768 + 0.5));
  return v >= 0 ? upper : -upper;
}

Number finished(const BlockOperation& op, std::span<const std::uint8_t> tables, Number value) {
  return op.family == Family::kU85 ? finished_u85(op, tables, value) : finished_u55(op, tables, value);
}

std::size_t address(const FeatureMap& map, int y, int x, int c) {
  std::size_t tile = 0;
  if (map.storage == Storage::kTile3x1) {
    for (const int height : {map.height0, map.height1}) {
      if (y < height) break;
      y -= height;
      ++tile;
    }
  } else {
    if (x >= map.width0) tile = 1;
    const int height = tile == 1 ? map.height1 : map.height0;
    x -= tile == 1 ? map.width0 : 0;
    if (y >= height) {
      tile += 2;
      y -= height;
    }
  }
  const std::int64_t row = static_cast<std::int64_t>(map.base[tile]) + y * map.stride_y;
  const std::int64_t es = map.bytes();
  return static_cast<std::size_t>(map.layout == Layout::kNHWC
                                      ? row + x * map.stride_x + c * es
                                      : row + c / 16 * map.stride_c + x * 16 * es + c % 16 * es);
}

Number element(std::span<const std::uint8_t> memory, const FeatureMap& map, int y, int x, int c) {
  const std::size_t at = address(map, map.h == 1 ? 0 : y, map.w == 1 ? 0 : x, map.c == 1 ? 0 : c);
  return entry(memory.subspan(at), 0, map.bytes(), map.is_signed || map.bits == 64) - map.zero_point;
}

void put(std::span<std::uint8_t> memory, const FeatureMap& map, int y, int x, int c, Number value) {
  value = low_bits(value, map.bits, false);
  const std::size_t at = address(map, y, x, c);
  for (int b = 0; b < map.bytes(); ++b, value /= 256)
    memory[at + static_cast<std::size_t>(b)] = static_cast<std::uint8_t>(value % 256);
}

void check(Bench& bench, const BlockOperation& op, const Value& value) {
  const Arrangement stored(op);
  const auto tables =
      std::span(std::as_const(bench.internal)).subspan(static_cast<std::size_t>(bench.accelerator->lut_offset()));
  auto expected = bench.arena;
  for (int y = 0; y < op.ofm.h; ++y)
    for (int x = 0; x < op.ofm.w; ++x)
      for (int c = 0; c < op.ofm.c; ++c) {
        const auto at = stored.place(y, x, c);
        put(expected, stored.map, at[0], at[1], at[2], finished(op, tables, value(y, x, c)));
      }
  const auto done = bench.run(op);
  INFO((done ? "" : done.error().to_string()));
  REQUIRE(done);
  const auto differing = std::mismatch(expected.begin(), expected.end(), bench.arena.begin()).first - expected.begin();
  INFO("bytes of the arena differ from " << differing << " on");
  CHECK(static_cast<std::size_t>(differing) == expected.size());
}

}  // namespace macaw::npu::test::plain
