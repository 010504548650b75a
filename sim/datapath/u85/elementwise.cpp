#include "sim/datapath/u85/elementwise.hpp"
#include "sim/datapath/byte_sums.hpp"
#include "sim/datapath/elementwise_operands.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

namespace macaw::npu {
namespace {

/// u85 5.4.
bool scales_operands(ElementwiseMode mode) { return mode != ElementwiseMode::kMul && mode != ElementwiseMode::kDiv; }

std::int64_t divide(std::int64_t a, std::int64_t b) { return b == 0 ? 0 : b == -1 ? wrapping_mul(a, -1) : a / b; }

/// Logical right shift of a `bits`-wide pattern, read back as a number of that width.
std::int64_t shift_right_logical(std::int64_t value, std::int64_t amount, int bits) {
  const auto pattern = static_cast<std::uint64_t>(value) & ((std::uint64_t{1} << bits) - 1);
  if (amount < 0 || amount >= bits) return 0;
  return wrap(static_cast<std::int64_t>(pattern >> amount), bits);
}

std::int64_t truth(bool value) { return value ? -1 : 0; }

}  // namespace

// Long: a case for each mode.
Result<void> elementwise_u85(const BlockOperation& op, const FeatureMapView* ifm, const FeatureMapView* ifm2,
                             bool scalar, OutputRows& out) {
  if (ifm) MACAW_CHECK(check_extents(op, ifm->map(), "IFM"));
  if (ifm2) MACAW_CHECK(check_extents(op, ifm2->map(), "IFM2"));
  if (op.ifm.bits > 32 || (ifm2 && op.ifm2.bits > 32))
    return fail(ErrorCode::kHardwareFault, "an elementwise operation does not take 64-bit elements");
  const bool add = op.elementwise == ElementwiseMode::kAdd, subtract = op.elementwise == ElementwiseMode::kSub;
  if ((add || subtract) && ifm && ifm2 && !scalar) {
    const Requantizer scale_a(op.ifm_scale), scale_b(op.ifm2_scale);
    const auto term_b = [&](std::int64_t value) { return add ? scale_b(value) : -scale_b(value); };
    if (sum_bytes(op, {*ifm, scale_a}, {*ifm2, term_b}, op.ofm_scale, out)) return {};
  }
  Operand first = ifm ? Operand(*ifm, out) : Operand(op.scalar - op.ifm.zero_point);
  Operand second = ifm2 ? Operand(*ifm2, out) : Operand(op.scalar - op.ifm2.zero_point);

  using Mode = ElementwiseMode;
  const bool scales = scales_operands(op.elementwise) && op.ifm.bits <= 16;
  if (scales && op.elementwise != Mode::kLrelu) {
    const Requantizer scale_a(op.ifm_scale), scale_b(op.ifm2_scale);
    for (auto& v : first.values) v = scale_a(v);
    for (auto& v : second.values) v = scale_b(v);
  }
  Scaling ofm_scale = op.ofm_scale;
  // A product of 32-bit operands is only shifted; every other mode applies the whole scale at any width
  // (hapv3/neural-compiler e4b56335, ethosu/regor/architecture/ethosu85/ethos_u85_constraints.cpp, SupportedOFMQuant;
  // the subtractions of Vela's softmax require this).
  if (op.elementwise == Mode::kMul && op.ifm.bits == 32) ofm_scale.scale = 1;
  const Requantizer scaled(ofm_scale);
  const auto each = [&](auto&& fn) {
    for_each(op, first, second, out, [&](std::int64_t a, std::int64_t b) { return scaled(fn(a, b)); });
  };

  switch (op.elementwise) {
    case Mode::kMul:
      // Products of two 32-bit operands with zero points need up to 66 bits.
      for_each(op, first, second, out, [&](std::int64_t a, std::int64_t b) {
        const Int128 product = Int128{a} * b;
        return product == static_cast<std::int64_t>(product) ? scaled(static_cast<std::int64_t>(product))
                                                             : requantize(product, ofm_scale);
      });
      return {};
    case Mode::kAdd: each(wrapping_add); return {};
    case Mode::kSub: each([](std::int64_t a, std::int64_t b) { return wrapping_add(a, -b); }); return {};
    case Mode::kMin: each([](std::int64_t a, std::int64_t b) { return std::min(a, b); }); return {};
    case Mode::kMax: each([](std::int64_t a, std::int64_t b) { return std::max(a, b); }); return {};
    case Mode::kLrelu: {
      // IFM2_SCALE carries the slope (u85 5.4).
      const Requantizer positive(scales ? op.ifm_scale : Scaling{}), negative(scales ? op.ifm2_scale : Scaling{});
      each([&](std::int64_t a, std::int64_t) { return a >= 0 ? positive(a) : negative(a); });
      return {};
    }
    case Mode::kAbs: each([](std::int64_t a, std::int64_t) { return a < 0 ? -a : a; }); return {};
    case Mode::kClz: each([](std::int64_t a, std::int64_t) { return leading_zeros(a); }); return {};
    case Mode::kShr:
      each([&](std::int64_t a, std::int64_t b) { return shift_right(a, b, op.ofm_scale.rounding); });
      return {};
    case Mode::kShl: each(shift_left); return {};
    case Mode::kLsr:
      each([&](std::int64_t a, std::int64_t b) { return shift_right_logical(a, b, op.ifm.bits); });
      return {};
    case Mode::kDiv: each(divide); return {};
    case Mode::kCmpEq: each([](std::int64_t a, std::int64_t b) { return truth(a == b); }); return {};
    case Mode::kCmpNe: each([](std::int64_t a, std::int64_t b) { return truth(a != b); }); return {};
    case Mode::kCmpGe: each([](std::int64_t a, std::int64_t b) { return truth(a >= b); }); return {};
    case Mode::kCmpGt: each([](std::int64_t a, std::int64_t b) { return truth(a > b); }); return {};
    case Mode::kAnd: each([](std::int64_t a, std::int64_t b) { return a & b; }); return {};
    case Mode::kOr: each([](std::int64_t a, std::int64_t b) { return a | b; }); return {};
    case Mode::kXor: each([](std::int64_t a, std::int64_t b) { return a ^ b; }); return {};
    case Mode::kNot: each([](std::int64_t a, std::int64_t) { return ~a; }); return {};
    case Mode::kAndNot: each([](std::int64_t a, std::int64_t b) { return a & ~b; }); return {};
  }
  return fail(ErrorCode::kHardwareFault,
              fmt::format("elementwise mode {} does not exist", static_cast<int>(op.elementwise)));
}

}  // namespace macaw::npu
