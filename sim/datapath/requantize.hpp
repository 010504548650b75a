#pragma once
#include <macaw/npu/operation.hpp>
#include "sim/datapath/bits.hpp"

namespace macaw::npu {

/// Rounding term added to the exact product before the arithmetic shift (u55_u65 5.2). `dbl` shifts the first stage of
/// double rounding, as for an input that was shifted left by `dbl` bits.
[[nodiscard]] constexpr std::int64_t rounding_term(bool negative, int shift, Rounding rounding, int dbl) {
  const std::int64_t half = shift > 0 ? std::int64_t{1} << (shift - 1) : 0;
  const std::int64_t first = shift > 31 - dbl && dbl <= 30 ? std::int64_t{1} << (30 - dbl) : 0;
  switch (rounding) {
    case Rounding::kNatural: return half;
    case Rounding::kDoubleSymmetric: return negative ? half - first : half + first;
    case Rounding::kDoubleAsymmetric: return half + first;
    case Rounding::kSymmetric: return half - (negative && shift > 0 ? 1 : 0);
    case Rounding::kTruncateToZero: return negative ? static_cast<std::int64_t>((std::uint64_t{1} << shift) - 1) : 0;
    case Rounding::kTruncateToLower: return 0;
  }
  return 0;
}

/// (value * scale + rounding) >> shift, exact, with shift in 0..63. Results are clamped to +-2^62, which is beyond
/// every type of a feature map.
[[nodiscard]] constexpr std::int64_t requantize(Int128 value, std::uint32_t scale, int shift, Rounding rounding,
                                                int dbl = 0) {
  const Int128 result = (value * scale + rounding_term(value < 0, shift, rounding, dbl)) >> shift;
  constexpr Int128 limit = Int128{1} << 62;
  return static_cast<std::int64_t>(result < -limit ? -limit : result > limit ? limit : result);
}
[[nodiscard]] constexpr std::int64_t requantize(Int128 value, const Scaling& s) {
  return requantize(value, s.scale, s.shift, s.rounding, s.dbl);
}

/// requantize() with one scale for many values, in 64 bits where the value allows it.
class Requantizer {
 public:
  explicit Requantizer(const Scaling& scaling)
      : scaling_(scaling),
        identity_(scaling.scale == 1 && scaling.shift == 0),
        narrow_(scaling.scale <= INT32_MAX && scaling.shift <= 61),
        round_(rounding_term(false, scaling.shift, scaling.rounding, scaling.dbl)),
        round_negative_(rounding_term(true, scaling.shift, scaling.rounding, scaling.dbl)) {}

  [[nodiscard]] std::int64_t operator()(std::int64_t value) const {
    if (identity_) return value;
    if (narrow_ && value == static_cast<std::int32_t>(value))
      return (value * scaling_.scale + (value < 0 ? round_negative_ : round_)) >> scaling_.shift;
    return requantize(value, scaling_);
  }

 private:
  Scaling scaling_;
  bool identity_, narrow_;
  std::int64_t round_, round_negative_;
};

/// Scale and shift that divide by `count` (u55_u65 5.3; `bits` is 31 on U55/U65, 30 on U85). count >= 1.
struct Divisor {
  std::uint32_t scale = 1;
  int shift = 0;
};
[[nodiscard]] Divisor pooling_divisor(std::int64_t count, int bits);

}  // namespace macaw::npu
