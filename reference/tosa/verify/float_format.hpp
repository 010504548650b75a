#pragma once
#include <macaw/tensor.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace macaw::tosa::verify {

/// Parameters of a floating point type, of scales or of MXINT8 for the bounds (TOSA specification, "Number formats"
/// and pseudocode/library/numeric_accuracy_helpers.tosac).
struct FloatFormat {
  DType dtype;
  int exponent_bits, mantissa_bits;
  bool has_infinity;      ///< else the largest exponent is for numbers
  bool has_nan;           ///< without infinity NaN is the pattern of all ones
  bool flush_subnormals;  ///< an implementation may take subnormal values for zero
  double normal_min, normal_max, normal_lowest;

  [[nodiscard]] int bias() const { return (1 << (exponent_bits - 1)) - 1; }
};

/// Null for types that results of floating point operators do not have.
[[nodiscard]] const FloatFormat* find_format(DType dtype);

/// The exact value of the low bits of `bits`.
[[nodiscard]] double decode(const FloatFormat& format, std::uint32_t bits);

/// Whether x rounds to an infinity of the format.
[[nodiscard]] bool overflows(const FloatFormat& format, double x);

/// 2^floor(log2|x|), not below the smallest normal number, times 2^-mantissa bits; 0 if x is zero or not finite. Of
/// MXINT8, which has a fixed point, always 1/64.
[[nodiscard]] double ulp(const FloatFormat& format, double x);

/// Elements of a tensor of the format as doubles.
class FloatReader {
 public:
  FloatReader(const FloatFormat& format, const Tensor& tensor) : format_(&format), bytes_(tensor.bytes()) {}
  [[nodiscard]] double operator[](std::size_t i) const;

 private:
  const FloatFormat* format_;
  std::span<const std::byte> bytes_;
};

}  // namespace macaw::tosa::verify
