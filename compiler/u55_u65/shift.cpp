#include "compiler/generation.hpp"
#include "compiler/lower/elementwise.hpp"

// Shifts. The units have only a left shift and a rounding right shift of 32-bit elements; the others are composed of
// them.
namespace macaw::npu::compiler::u55_u65 {
namespace {

using enum ElementwiseMode;

/// Elementwise operations on 32-bit intermediates of one shape.
class Wide {
 public:
  Wide(Lowering& lowering, const StorageView& like) : lowering_(lowering), like_(like) {}

  /// Any integers as 32-bit elements.
  Result<StorageView> widened(const StorageView& v) {
    if (v.bits == 32) return v;
    const auto out = lowering_.temporary(v.extents, 32);
    MACAW_CHECK(lowering_.convert(out, v));
    return out;
  }
  Result<StorageView> operator()(ElementwiseMode mode, const StorageView& a, const StorageView& b,
                                 Rounding rounding = Rounding::kNatural) {
    const auto out = lowering_.temporary(like_.extents, 32);
    Output how;
    how.scale.rounding = rounding;
    MACAW_CHECK(lowering_.elementwise(mode, out, a, b, how));
    return out;
  }
  StorageView number(std::int64_t value) { return lowering_.scalar(value, like_, 32).as(true); }

  /// floor(x / 2^s). The unit rounds half up, so half of the divisor is subtracted before; where the result exceeds the
  /// range of int32 it saturates, which does not change the quotient.
  Result<StorageView> floor_shift(const StorageView& x, const StorageView& s) {
    MACAW_ASSIGN(const auto less, (*this)(kSub, s, number(1)));
    MACAW_ASSIGN(const auto exponent, (*this)(kMax, less, number(0)));
    MACAW_ASSIGN(const auto power, (*this)(kShl, number(1), exponent));
    MACAW_ASSIGN(const auto shifts, (*this)(kMin, s, number(1)));  // 0 where nothing is shifted
    MACAW_ASSIGN(const auto half, (*this)(kMul, power, shifts));
    MACAW_ASSIGN(const auto lowered, (*this)(kSub, x, half));
    return (*this)(kShr, lowered, s);
  }

  /// The sign bits that floor_shift() fills in for a negative number, as a number with only these bits set.
  Result<StorageView> sign_fill(const StorageView& x, const StorageView& s) {
    MACAW_ASSIGN(const auto rest, (*this)(kSub, number(32), s));
    MACAW_ASSIGN(const auto amount, (*this)(kMin, rest, number(31)));
    MACAW_ASSIGN(const auto fill, (*this)(kShl, number(-1), amount));
    MACAW_ASSIGN(const auto shifts, (*this)(kMin, s, number(1)));
    MACAW_ASSIGN(const auto opposite, (*this)(kSub, number(0), x));
    MACAW_ASSIGN(const auto limited, (*this)(kMin, opposite, number(1)));
    MACAW_ASSIGN(const auto negative, (*this)(kMax, limited, number(0)));  // 1 or 0
    MACAW_ASSIGN(const auto filled, (*this)(kMul, fill, negative));
    return (*this)(kMul, filled, shifts);
  }

 private:
  Lowering& lowering_;
  StorageView like_;
};

Result<void> narrow(Lowering& lowering, const StorageView& out, const StorageView& wide) {
  return lowering.copy(out, wide.low_part(out.bits));
}

}  // namespace

Result<void> lower_logical_left_shift(Lowering& lowering) {
  MACAW_ASSIGN(const auto x, binary(lowering));
  Wide wide(lowering, x.out);
  MACAW_ASSIGN(const auto a, wide.widened(x.a));
  MACAW_ASSIGN(const auto b, wide.widened(x.b));
  if (x.out.bits == 32) return lowering.elementwise(kShl, x.out, a, b);
  MACAW_ASSIGN(const auto shifted, wide(kShl, a, b));
  return narrow(lowering, x.out, shifted);
}

Result<void> lower_arithmetic_right_shift(Lowering& lowering) {
  const bool round = lowering.current().get_int(tosa::Attr::k_round) != 0;
  MACAW_ASSIGN(const auto x, binary(lowering));
  Wide wide(lowering, x.out);
  MACAW_ASSIGN(const auto a, wide.widened(x.a));
  MACAW_ASSIGN(const auto b, wide.widened(x.b));
  if (round) return lowering.elementwise(kShr, x.out, a, b);
  MACAW_ASSIGN(const auto shifted, wide.floor_shift(a, b));
  return narrow(lowering, x.out, shifted);
}

Result<void> lower_logical_right_shift(Lowering& lowering) {
  MACAW_ASSIGN(const auto x, binary(lowering));
  Wide wide(lowering, x.out);
  MACAW_ASSIGN(const auto a, wide.widened(x.a.as(x.a.bits == 32)));
  MACAW_ASSIGN(const auto b, wide.widened(x.b));
  MACAW_ASSIGN(const auto shifted, wide.floor_shift(a, b));
  if (x.out.bits < 32) return narrow(lowering, x.out, shifted);
  MACAW_ASSIGN(const auto fill, wide.sign_fill(a, b));
  return lowering.elementwise(kSub, x.out, shifted, fill);
}

}  // namespace macaw::npu::compiler::u55_u65
