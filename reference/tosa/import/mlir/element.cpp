#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

#include "reference/tosa/import/constant_data.hpp"
#include "reference/tosa/import/mlir/attribute.hpp"

namespace macaw::tosa::mlir {
namespace {

/// `how`: base or format, as std::from_chars() takes it.
template <class T, class How>
std::optional<T> parse(std::string_view text, How how) {
  T value{};
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value, how);
  if (problem != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// Floating point of a byte and less: mantissa bits and the exponent's bias; the sign is the bit above exponent and
/// mantissa (specification, table of number formats).
struct Narrow {
  DType dtype;
  int bits, mantissa, bias;
};
constexpr Narrow kNarrow[] = {
    {DType::kFP8E4M3, 8, 3, 7}, {DType::kFP8E5M2, 8, 2, 15}, {DType::kFP6E2M3, 6, 3, 1},
    {DType::kFP6E3M2, 6, 2, 3}, {DType::kFP4E2M1, 4, 1, 1},
};

double value_of(const Narrow& type, int code) {
  const int mantissa = code & ((1 << type.mantissa) - 1);
  const int exponent = (code & ((1 << (type.bits - 1)) - 1)) >> type.mantissa;
  const double sign = code >> (type.bits - 1) ? -1.0 : 1.0;
  if (type.dtype == DType::kFP8E4M3 && exponent == 15 && mantissa == 7) return std::nan("");
  if (type.dtype == DType::kFP8E5M2 && exponent == 31)
    return mantissa ? std::nan("") : sign * std::numeric_limits<double>::infinity();
  const double fraction = mantissa + (exponent ? 1 << type.mantissa : 0);
  return sign * std::ldexp(fraction, (exponent ? exponent : 1) - type.bias - type.mantissa);
}

/// The code of a value that the type has.
std::optional<std::byte> narrow_code(const Narrow& type, double value) {
  for (int code = 0; code < 1 << type.bits; ++code)
    if (value_of(type, code) == value && std::signbit(value) == (code >> (type.bits - 1) != 0))
      return static_cast<std::byte>(code);
  return std::nullopt;
}

bool store_float(double value, DType dtype, std::byte* out) {
  for (const auto& type : kNarrow)
    if (type.dtype == dtype) {
      const auto code = narrow_code(type, value);
      if (code) *out = *code;
      return code.has_value();
    }
  if (dtype == DType::kFP8UE8M0) {
    const double exponent = std::log2(value);
    if (!(value > 0) || exponent != std::floor(exponent) || exponent < -127 || exponent > 127) return false;
    *out = static_cast<std::byte>(static_cast<int>(exponent) + 127);
    return true;
  }
  const auto bytes = float_bytes(dtype, static_cast<float>(value));
  std::memcpy(out, bytes.data(), bytes.size());
  return true;
}

bool fits(std::int64_t value, DType dtype) {
  const auto bits = info(dtype).bits;
  if (bits >= 64) return true;
  // i8 holds -128 to 255 in MLIR: an integer has no sign of its own.
  return value >= -(std::int64_t{1} << (bits - 1)) && value < std::int64_t{1} << bits;
}

}  // namespace

bool element_bytes(std::string_view spelled, DType dtype, std::byte* out) {
  const auto size = size_of(dtype);
  if (dtype == DType::kBOOL && (spelled == "true" || spelled == "false")) {
    *out = std::byte{spelled == "true"};
    return true;
  }
  if (spelled.starts_with('+')) spelled.remove_prefix(1);
  const bool hexadecimal = spelled.starts_with("0x") || spelled.starts_with("0X");
  if (is_float(dtype) && !hexadecimal) {
    if (dtype == DType::kFP32) {
      const auto single = parse<float>(spelled, std::chars_format::general);
      if (single) std::memcpy(out, &*single, sizeof *single);
      return single.has_value();
    }
    const auto value = parse<double>(spelled, std::chars_format::general);
    return value && store_float(*value, dtype, out);
  }
  if (hexadecimal) {
    const auto bits = parse<std::uint64_t>(spelled.substr(2), 16);
    if (!bits || (info(dtype).bits < 64 && *bits >> info(dtype).bits != 0)) return false;
    std::memcpy(out, &*bits, size);
    return true;
  }
  auto value = parse<std::int64_t>(spelled, 10);
  if (!value || !fits(*value, dtype)) return false;
  const auto unused = 64 - info(dtype).bits;
  if (dtype == DType::kINT4 || dtype == DType::kINT48)
    *value = static_cast<std::int64_t>(static_cast<std::uint64_t>(*value) << unused) >> unused;
  if (dtype == DType::kBOOL) *value = *value != 0;
  std::memcpy(out, &*value, size);
  return true;
}

}  // namespace macaw::tosa::mlir
