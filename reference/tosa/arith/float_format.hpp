#pragma once
#include <bit>
#include <cstdint>
#include <limits>

#include <macaw/dtype.hpp>

namespace macaw::tosa {

/// A binary floating-point format of at most 16 bits: sign, exponent and mantissa from the high bits down, IEEE bias,
/// subnormal numbers.
struct FloatFormat {
  int exponent_bits, mantissa_bits;
  /// kIeee: the greatest exponent is infinity and NaN. kNanOnly: only all ones of exponent and mantissa is NaN, no
  /// infinity. kFinite: every encoding is a number.
  enum class Specials : std::uint8_t { kIeee, kNanOnly, kFinite } specials;

  [[nodiscard]] constexpr int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  /// Magnitude bits (without the sign) of the greatest number, of infinity and of the NaN that conversions give.
  [[nodiscard]] constexpr unsigned greatest() const {
    return specials == Specials::kIeee ? infinity() - 1 : all_ones() - (specials == Specials::kNanOnly ? 1 : 0);
  }
  [[nodiscard]] constexpr unsigned infinity() const { return ((1u << exponent_bits) - 1) << mantissa_bits; }
  [[nodiscard]] constexpr unsigned nan() const {
    return specials == Specials::kIeee ? infinity() | 1u << (mantissa_bits - 1) : all_ones();
  }
  [[nodiscard]] constexpr unsigned all_ones() const { return (1u << (exponent_bits + mantissa_bits)) - 1; }
  [[nodiscard]] constexpr unsigned sign() const { return 1u << (exponent_bits + mantissa_bits); }
};

// OCP 8-bit Floating Point Specification 1.0 and OCP Microscaling Formats 1.0 for the narrow ones.
inline constexpr FloatFormat kFp16{5, 10, FloatFormat::Specials::kIeee};
inline constexpr FloatFormat kBf16{8, 7, FloatFormat::Specials::kIeee};
inline constexpr FloatFormat kFp8E4M3{4, 3, FloatFormat::Specials::kNanOnly};
inline constexpr FloatFormat kFp8E5M2{5, 2, FloatFormat::Specials::kIeee};
inline constexpr FloatFormat kFp6E2M3{2, 3, FloatFormat::Specials::kFinite};
inline constexpr FloatFormat kFp6E3M2{3, 2, FloatFormat::Specials::kFinite};
inline constexpr FloatFormat kFp4E2M1{2, 1, FloatFormat::Specials::kFinite};

/// The value of an encoding; bits above the sign are ignored. Exact.
[[nodiscard]] constexpr float decode(const FloatFormat& format, unsigned bits) {
  const bool negative = (bits & format.sign()) != 0;
  const auto magnitude = bits & format.all_ones();
  if (magnitude > format.greatest()) {
    const bool is_infinite = format.specials == FloatFormat::Specials::kIeee && magnitude == format.infinity();
    if (!is_infinite) return std::numeric_limits<float>::quiet_NaN();
    return negative ? -std::numeric_limits<float>::infinity() : std::numeric_limits<float>::infinity();
  }
  const auto exponent = static_cast<int>(magnitude >> format.mantissa_bits);
  const auto mantissa = magnitude & ((1u << format.mantissa_bits) - 1);
  // mantissa * 2^(exponent - bias - mantissa_bits), in double, whose exponents reach further than any format's.
  const auto whole = exponent == 0 ? mantissa : mantissa | 1u << format.mantissa_bits;
  const auto power = (exponent == 0 ? 1 : exponent) - format.bias() - format.mantissa_bits;
  const auto value = static_cast<double>(whole) * std::bit_cast<double>(static_cast<std::uint64_t>(power + 1023) << 52);
  return static_cast<float>(negative ? -value : value);
}

/// The nearest number of the format, of two equally near the one with an even mantissa. What rounds beyond the greatest
/// number is infinity, in a format without infinity NaN, in one without NaN the greatest number. A NaN gives the
/// positive quiet NaN, in a format without NaN zero.
[[nodiscard]] constexpr unsigned encode(const FloatFormat& format, double value) {
  using Specials = FloatFormat::Specials;
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const auto magnitude = bits & ~(std::uint64_t{1} << 63);
  const unsigned sign = bits >> 63 ? format.sign() : 0;
  constexpr std::uint64_t kInfinity = std::uint64_t{0x7FF} << 52;
  if (magnitude > kInfinity) return format.specials == Specials::kFinite ? 0 : format.nan();
  const unsigned beyond = format.specials == Specials::kIeee      ? format.infinity() | sign
                          : format.specials == Specials::kNanOnly ? format.nan()
                                                                  : format.greatest() | sign;
  if (magnitude == kInfinity) return beyond;
  const auto exponent = static_cast<int>(magnitude >> 52) - 1023;
  const int least = 1 - format.bias();
  // Bits of the 53-bit significand below the result's last one; subnormal results lose more of them.
  const int dropped = 52 - format.mantissa_bits + (exponent < least ? least - exponent : 0);
  if (dropped > 53) return sign;  // below half the least number (any subnormal double is)
  const auto whole = (magnitude & ((std::uint64_t{1} << 52) - 1)) | std::uint64_t{1} << 52;
  const auto kept = whole >> dropped;
  const auto rest = whole & ((std::uint64_t{1} << dropped) - 1);
  const auto half = std::uint64_t{1} << (dropped - 1);
  auto result = kept + (rest > half || (rest == half && (kept & 1)) ? 1 : 0);
  // A carry out of the mantissa moves into the exponent by itself.
  if (exponent >= least) result += static_cast<std::uint64_t>(exponent - least) << format.mantissa_bits;
  if (result > format.greatest()) return beyond;
  return static_cast<unsigned>(result) | sign;
}

/// fp8ue8m0: a power of two, 2^(bits - 127); all ones is NaN.
[[nodiscard]] constexpr float decode_ue8m0(unsigned bits) {
  if ((bits & 0xFF) == 0xFF) return std::numeric_limits<float>::quiet_NaN();
  return static_cast<float>(std::bit_cast<double>(static_cast<std::uint64_t>((bits & 0xFF) + 1023 - 127) << 52));
}

/// Returns the nearest power of two of the type, and the greater one of two that are equally near; NaN for NaN,
/// infinities and negative numbers, which the type cannot represent.
[[nodiscard]] constexpr unsigned encode_ue8m0(double value) {
  if (!(value >= 0) || value == std::numeric_limits<double>::infinity()) return 0xFF;
  const auto bits = std::bit_cast<std::uint64_t>(value) + (std::uint64_t{1} << 51);
  const auto exponent = static_cast<int>(bits >> 52) - 1023 + 127;
  return exponent < 0 ? 0u : exponent > 254 ? 254u : static_cast<unsigned>(exponent);
}

/// mxint8: two's complement with six bits after the point.
[[nodiscard]] constexpr float decode_mxint8(unsigned bits) {
  return static_cast<float>(static_cast<std::int8_t>(bits)) / 64;
}

/// The nearest number, of two equally near the even one; saturates, and gives 0 for NaN, which it cannot hold.
[[nodiscard]] constexpr unsigned encode_mxint8(double value) {
  if (value != value) return 0;
  const double scaled = value * 64;
  if (scaled <= -128) return 0x80;
  if (scaled >= 127) return 0x7F;
  auto whole = static_cast<int>(scaled);  // towards zero
  const double rest = scaled - whole;
  if (rest > 0.5 || (rest == 0.5 && whole % 2 != 0)) ++whole;
  if (rest < -0.5 || (rest == -0.5 && whole % 2 != 0)) --whole;
  return static_cast<unsigned>(whole) & 0xFF;
}

/// Whether a type has a format: FP16, BF16 and narrower, but FP8UE8M0 and MXINT8.
[[nodiscard]] constexpr bool has_format(DType dtype) {
  switch (dtype) {
    case DType::kFP16:
    case DType::kBF16:
    case DType::kFP8E4M3:
    case DType::kFP8E5M2:
    case DType::kFP6E2M3:
    case DType::kFP6E3M2:
    case DType::kFP4E2M1: return true;
    default: return false;
  }
}

/// The format of a type that has one.
template <DType D>
inline constexpr FloatFormat kFormat = [] {
  if constexpr (D == DType::kFP16) return kFp16;
  if constexpr (D == DType::kBF16) return kBf16;
  if constexpr (D == DType::kFP8E4M3) return kFp8E4M3;
  if constexpr (D == DType::kFP8E5M2) return kFp8E5M2;
  if constexpr (D == DType::kFP6E2M3) return kFp6E2M3;
  if constexpr (D == DType::kFP6E3M2) return kFp6E3M2;
  if constexpr (D == DType::kFP4E2M1) return kFp4E2M1;
}();

}  // namespace macaw::tosa
