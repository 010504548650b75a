#include "tests/unit/sim/datapath/random_maps.hpp"

// Elementwise operations of random types, extents, scales and functions against u55_u65 5.4 and u85 5.4.
using namespace macaw;
using namespace macaw::npu;
using namespace macaw::npu::test;
using plain::Number;
using Mode = ElementwiseMode;

namespace {

Number leading_zeros(Number value) {
  Number count = 0;
  for (Number bit = Number{1} << 31; bit > 0 && plain::low_bits(value, 32, false) < bit; bit /= 2) ++count;
  return count;
}
Number shifted_left(Number a, Number b) {
  return b < 0 || b > 31 ? 0 : plain::low_bits(a * (Number{1} << static_cast<int>(b)), 32, true);
}
Number shifted_right(Number a, Number b, Rounding rounding) {
  return plain::rounded(a, {1, static_cast<int>(b), rounding, 0});
}

Number result_u55(const BlockOperation& op, Number a, Number b) {
  if (op.operands_swapped) std::swap(a, b);
  const bool wide = op.ifm.bits == 32 || op.ofm.bits == 32;
  Scaling scale = op.ofm_scale;
  if (wide) scale.scale = 1;
  if (!wide && (op.elementwise == Mode::kAdd || op.elementwise == Mode::kSub)) {
    const bool int16 = op.ifm.bits == 16;
    const Number opb = op.ifm2_scale.scale & 0xFFFF, other = opb != 0 ? opb : Number{1} << (int16 ? 14 : 19);
    Scaling operand = op.ifm_scale;
    operand.dbl = int16 ? 15 : 20;
    if (op.operand_scaling == OperandScaling::kOpaOpb16) {
      a *= op.ifm_scale.scale & 0xFFFF;
      b *= opb;
    } else if (op.operand_scaling == OperandScaling::kOpa32) {
      a = plain::rounded(a, operand);
      b *= other;
    } else {
      a *= other;
      b = plain::rounded(b, operand);
    }
  }
  switch (op.elementwise) {
    case Mode::kAdd: return plain::rounded(a + b, scale);
    case Mode::kSub: return plain::rounded(a - b, scale);
    case Mode::kMul: return plain::rounded(a * b, scale);
    case Mode::kMin: return a < b ? a : b;
    case Mode::kMax: return a < b ? b : a;
    case Mode::kAbs: return plain::rounded(a < 0 ? -a : a, scale);
    case Mode::kLrelu: return a < 0 ? plain::rounded(a, scale) : a;
    case Mode::kClz: return leading_zeros(a);
    case Mode::kShl: return shifted_left(a, b);
    default: return shifted_right(a, b, scale.rounding);
  }
}

Number unscaled_u85(const BlockOperation& op, Number a, Number b) {
  switch (op.elementwise) {
    case Mode::kAdd: return a + b;
    case Mode::kSub: return a - b;
    case Mode::kMul: return a * b;
    case Mode::kMin: return a < b ? a : b;
    case Mode::kMax: return a < b ? b : a;
    case Mode::kAbs: return a < 0 ? -a : a;
    case Mode::kLrelu: return plain::rounded(a, a < 0 ? op.ifm2_scale : op.ifm_scale);
    case Mode::kClz: return leading_zeros(a);
    case Mode::kShl: return shifted_left(a, b);
    case Mode::kShr: return shifted_right(a, b, op.ofm_scale.rounding);
    case Mode::kLsr:
      if (b < 0 || b >= op.ifm.bits) return 0;
      return plain::low_bits(plain::low_bits(a, op.ifm.bits, false) >> static_cast<int>(b), op.ifm.bits, true);
    case Mode::kDiv: return b == 0 ? 0 : a / b;
    case Mode::kCmpEq: return a == b ? -1 : 0;
    case Mode::kCmpNe: return a != b ? -1 : 0;
    case Mode::kCmpGe: return a >= b ? -1 : 0;
    case Mode::kCmpGt: return a > b ? -1 : 0;
    case Mode::kAnd: return a & b;
    case Mode::kOr: return a | b;
    case Mode::kXor: return a ^ b;
    case Mode::kNot: return -1 - a;
    default: return a & (-1 - b);
  }
}
Number result_u85(const BlockOperation& op, Number a, Number b) {
  const Mode mode = op.elementwise;
  if (mode != Mode::kMul && mode != Mode::kDiv && mode != Mode::kLrelu && op.ifm.bits <= 16) {
    a = plain::rounded(a, op.ifm_scale);
    b = plain::rounded(b, op.ifm2_scale);
  }
  Scaling scale = op.ofm_scale;
  if (mode == Mode::kMul && op.ifm.bits == 32) scale.scale = 1;
  return plain::rounded(unscaled_u85(op, a, b), scale);
}

bool shifts(Mode mode) { return mode == Mode::kShr || mode == Mode::kShl || mode == Mode::kLsr; }
bool of_bits(Mode mode) { return mode == Mode::kClz || mode == Mode::kDiv || mode >= Mode::kAnd || shifts(mode); }

/// Types and zero points that a mode takes.
void choose_types(Dice& dice, BlockOperation& op, int& bits, bool& is_signed) {
  const bool u85 = op.family == Family::kU85;
  op.elementwise =
      u85 ? dice.of({Mode::kMul,   Mode::kAdd,   Mode::kSub, Mode::kMin, Mode::kMax, Mode::kLrelu, Mode::kAbs,
                     Mode::kClz,   Mode::kShr,   Mode::kShl, Mode::kLsr, Mode::kDiv, Mode::kCmpEq, Mode::kCmpNe,
                     Mode::kCmpGe, Mode::kCmpGt, Mode::kAnd, Mode::kOr,  Mode::kXor, Mode::kNot,   Mode::kAndNot})
          : static_cast<Mode>(dice.pick(0, 9));
  bits = dice.of({8, 8, 16, 16, 32});
  if (op.elementwise == Mode::kLrelu && u85) bits = dice.of({8, 16});
  const bool narrow = u85 && (op.elementwise == Mode::kLsr || op.elementwise >= Mode::kAnd);
  if (of_bits(op.elementwise) && !narrow) bits = 32;
  is_signed = bits == 32 || narrow || dice.pick(0, 1);
}

/// A dense map behind all others whose tiles and strides are those of the exchanged extents, which are stored
/// (u85 3.7).
FeatureMap exchanged(const FeatureMap& map, int transpose) {
  const std::array<int, 3> extents = {map.h, map.w, map.c};
  static constexpr std::array<std::array<std::size_t, 3>, 8> kAxes = {
      {{}, {1, 0, 2}, {0, 2, 1}, {1, 2, 0}, {}, {}, {2, 0, 1}, {2, 1, 0}}};
  const auto& axes = kAxes[static_cast<std::size_t>(transpose)];
  FeatureMap out = feature_map(1 << 14, extents[axes[0]], extents[axes[1]], extents[axes[2]], map.bits);
  out.is_signed = map.is_signed;
  out.h = map.h;
  out.w = map.w;
  out.c = map.c;
  return out;
}

void check_elementwise(Dice& dice, const char* accelerator) {
  Bench bench(accelerator);
  Maps maps(dice);
  BlockOperation op;
  op.kind = OpKind::kElementwise;
  op.family = bench.accelerator->family;
  const bool u85 = op.family == Family::kU85;
  int bits = 8;
  bool is_signed = true;
  choose_types(dice, op, bits, is_signed);
  const int h = dice.pick(1, 4), w = dice.pick(1, 5), c = dice.pick(1, 20);
  const auto along = [&](int extent) { return dice.one_in(5) ? 1 : extent; };
  const bool first_scalar = u85 && dice.one_in(8), second_scalar = !first_scalar && dice.one_in(5);
  op.ifm = u85 ? maps.place(along(h), along(w), along(c), bits, is_signed) : maps.place(h, w, c, bits, is_signed);
  op.ifm2 = maps.place(along(h), along(w), along(c), bits, is_signed);
  op.transpose = u85 && dice.one_in(4) ? dice.of({1, 2, 3, 6, 7}) : 0;
  op.reverse = u85 && dice.one_in(4) ? dice.pick(1, 3) : 0;
  const int ofm_bits = dice.of({8, 16, 32});
  op.ofm = maps.place(h, w, c, ofm_bits, ofm_bits == 32 || dice.pick(0, 1));
  if (op.transpose != 0) op.ofm = exchanged(op.ofm, op.transpose);
  if (of_bits(op.elementwise)) op.ifm.zero_point = op.ifm2.zero_point = 0;
  maps.fill(bench);
  if (op.transpose != 0) bench.arena.resize(1 << 15);
  maps.fill(bench, op.ifm);
  maps.fill(bench, op.ifm2);
  if (shifts(op.elementwise))
    for (int i = 0; i < op.ifm2.h * op.ifm2.w * op.ifm2.c; ++i)
      plain::put(bench.arena, op.ifm2, i / op.ifm2.c / op.ifm2.w, i / op.ifm2.c % op.ifm2.w, i % op.ifm2.c,
                 op.elementwise == Mode::kShr ? dice.pick(0, 40) : dice.pick(-2, 40));
  op.ifm_broadcast.scalar = first_scalar;
  op.ifm2_broadcast.scalar = second_scalar;
  op.scalar = shifts(op.elementwise) ? dice.pick(0, 31) : dice.value(std::min(bits, u85 ? 32 : 16), is_signed, 0);
  // The amounts of shifts lie in IFM2.
  op.operands_swapped = !u85 && !is_unary(op.elementwise) && !shifts(op.elementwise) && dice.one_in(3);
  op.operand_scaling = static_cast<OperandScaling>(dice.pick(0, 2));
  op.ifm_scale = random_scale(dice, 18, 40, u85);
  op.ifm2_scale = random_scale(dice, 18, 40, u85);
  // Includes byte operands whose sums exceed 32 bits.
  if (bits == 8 && dice.one_in(4)) op.ifm_scale.shift = 0;
  if (!u85 && dice.pick(0, 1)) op.ifm2_scale.scale = 0;
  op.ofm_scale = random_scale(dice, op.elementwise == Mode::kMul && bits == 32 ? 66 : 43, 60, u85);
  if (dice.one_in(3)) op.ofm_scale = {1, u85 && bits == 32 ? 5 : 0, Rounding::kNatural, 0};
  random_output(dice, bench, op);

  const auto before = bench.arena;
  INFO("mode " << static_cast<int>(op.elementwise) << ", " << bits << " bits to " << op.ofm.bits);
  plain::check(bench, op, [&](int y, int x, int c_) {
    const Number scalar = op.scalar;
    const Number a = first_scalar ? scalar - op.ifm.zero_point : plain::element(before, op.ifm, y, x, c_);
    const Number b = second_scalar ? scalar - op.ifm2.zero_point : plain::element(before, op.ifm2, y, x, c_);
    return u85 ? result_u85(op, a, b) : result_u55(op, a, b);
  });
}

}  // namespace

TEST_CASE("elementwise operations of random make are what the rules say") {
  for (const char* accelerator : {"ethos-u55-128", "ethos-u65-256", "ethos-u85-256"}) {
    Dice dice(5);
    for (int round = 0; round < 1500; ++round) {
      INFO(accelerator << " round " << round);
      check_elementwise(dice, accelerator);
    }
  }
}
