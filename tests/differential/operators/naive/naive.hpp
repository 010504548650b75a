#pragma once
#include <macaw/tensor.hpp>
#include <macaw/tosa/graph.hpp>

#include <cstdint>
#include <span>
#include <vector>

// The operators once more, as the specification's pseudo-code writes them (arm/tosa-specification,
// pseudocode/operators): one element at a time, through indices, without anything of reference/tosa/op or
// reference/tosa/arith. Floating point follows the contract of reference/tosa/kernels/float_operand.hpp: elements are
// widened to float, sums and products are of float in the order of the pseudo-code, and one rounding gives the output's
// type.

namespace macaw::test::naive {

/// A REQUIRE does not hold.
struct Unpredictable {};
inline void require(bool holds) {
  if (!holds) throw Unpredictable{};
}
/// A function's value is so near the middle of two floats that what it rounds to is open.
struct Undecided : Unpredictable {};

__extension__ using Wide = __int128;

[[nodiscard]] std::int64_t int_at(const Tensor& tensor, std::int64_t i);
/// The exact values of a floating-point tensor; of a block-scaled one value times scale.
[[nodiscard]] double double_at(const Tensor& tensor, std::int64_t i);
[[nodiscard]] inline float float_at(const Tensor& tensor, std::int64_t i) {
  return static_cast<float>(double_at(tensor, i));
}
/// Keeps the low bits.
void put_int(Tensor& tensor, std::int64_t i, std::int64_t value);
/// Rounds to nearest even; out of range is infinity, or NaN where there is none; every NaN is the positive quiet one.
void put_double(Tensor& tensor, std::int64_t i, double value);
/// Bits, of a block-scaled tensor those of the scale too.
void copy_element(Tensor& to, std::int64_t i, const Tensor& from, std::int64_t j);

/// Number range of an integer type.
[[nodiscard]] std::int64_t minimum(DType dtype);
[[nodiscard]] std::int64_t maximum(DType dtype);
/// The value, which must fit.
[[nodiscard]] std::int64_t checked(Wide value, DType dtype);

[[nodiscard]] std::int64_t offset(const Shape& shape, const Shape& index);
/// Index of an element from its offset.
[[nodiscard]] Shape index_of(const Shape& shape, std::int64_t offset);
/// apply_broadcast.
[[nodiscard]] std::int64_t broadcast_offset(const Shape& shape, const Shape& out_index);

struct Node {
  const tosa::Operator& op;
  std::span<const Tensor> in;
  std::span<Tensor> out;  ///< of the declared types and shapes, zero

  [[nodiscard]] std::int64_t attr(tosa::Attr attribute) const { return op.get_int(attribute); }
  [[nodiscard]] std::int64_t attr(tosa::Attr attribute, std::size_t i) const { return op.get_ints(attribute).at(i); }
  [[nodiscard]] bool ignores_nan() const { return attr(tosa::Attr::k_nan_mode) != 0; }
};

using Compute = void (*)(Node&);
struct Entry {
  tosa::Op op;
  Compute compute;
};
// One table per file.
[[nodiscard]] std::span<const Entry> convolutions();
[[nodiscard]] std::span<const Entry> pools();
[[nodiscard]] std::span<const Entry> products();
[[nodiscard]] std::span<const Entry> fourier();
[[nodiscard]] std::span<const Entry> reductions();
[[nodiscard]] std::span<const Entry> integers();
[[nodiscard]] std::span<const Entry> floats();
[[nodiscard]] std::span<const Entry> choices();
[[nodiscard]] std::span<const Entry> data_layout();
[[nodiscard]] std::span<const Entry> conversions();
[[nodiscard]] std::span<const Entry> block_scaled();
[[nodiscard]] std::span<const Entry> shapes();

/// Value times scale of an element of a block-scaled tensor.
[[nodiscard]] double scaled_at(const Tensor& tensor, std::int64_t i);
/// CAST to a block-scaled type.
void cast_to_blocks(Node& n);

/// Null for an operator without a naive implementation; those that run graphs or keep variables are in execution.hpp.
[[nodiscard]] Compute find(tosa::Op op);

/// apply_max_s and apply_min_s.
template <class T>
T max_of(T a, T b, bool ignore_nan) {
  if (a != a || b != b) return ignore_nan ? (a != a ? b : a) : (a != a ? a : b);
  return a >= b ? a : b;
}
template <class T>
T min_of(T a, T b, bool ignore_nan) {
  if (a != a || b != b) return ignore_nan ? (a != a ? b : a) : (a != a ? a : b);
  return a < b ? a : b;
}

/// apply_scale_32 and apply_scale_16 (pseudocode/library/scale_helpers.tosac).
[[nodiscard]] std::int64_t apply_scale_32(std::int64_t value, std::int64_t multiplier, std::int64_t shift,
                                          bool double_round);
[[nodiscard]] std::int64_t apply_scale_16(std::int64_t value, std::int64_t multiplier, std::int64_t shift);

}  // namespace macaw::test::naive
