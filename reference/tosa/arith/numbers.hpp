// Included once for each target of Highway.
#if defined(MACAW_REFERENCE_ARITH_NUMBERS) == defined(HWY_TARGET_TOGGLE)
#ifdef MACAW_REFERENCE_ARITH_NUMBERS
#undef MACAW_REFERENCE_ARITH_NUMBERS
#else
#define MACAW_REFERENCE_ARITH_NUMBERS
#endif

#include <hwy/highway.h>

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

// Operations besides + - * / that allow a function to be written once for a number, float or double, and for a vector
// of such numbers.

HWY_BEFORE_NAMESPACE();
namespace macaw::tosa::HWY_NAMESPACE::elementary {

namespace hn = hwy::HWY_NAMESPACE;

template <class V>
inline constexpr bool kIsNumber = std::is_arithmetic_v<V>;

/// Two vectors, or pairs of them. What is done to both keeps the processor busy while it waits for one.
template <class V>
struct Pair {
  V first, second;

  friend HWY_INLINE Pair operator+(Pair a, Pair b) { return {a.first + b.first, a.second + b.second}; }
  friend HWY_INLINE Pair operator-(Pair a, Pair b) { return {a.first - b.first, a.second - b.second}; }
  friend HWY_INLINE Pair operator*(Pair a, Pair b) { return {a.first * b.first, a.second * b.second}; }
  friend HWY_INLINE Pair operator/(Pair a, Pair b) { return {a.first / b.first, a.second / b.second}; }
  friend HWY_INLINE Pair operator&(Pair a, Pair b) { return {a.first & b.first, a.second & b.second}; }
  friend HWY_INLINE Pair operator|(Pair a, Pair b) { return {a.first | b.first, a.second | b.second}; }
  friend HWY_INLINE Pair operator^(Pair a, Pair b) { return {a.first ^ b.first, a.second ^ b.second}; }
};
template <class V>
inline constexpr bool kIsPair = false;
template <class V>
inline constexpr bool kIsPair<Pair<V>> = true;

/// Unsigned integers as wide as the elements of V.
template <class V>
struct BitsOf {
  using Type = hn::VFromD<hn::RebindToUnsigned<hn::DFromV<V>>>;
};
template <>
struct BitsOf<float> {
  using Type = std::uint32_t;
};
template <>
struct BitsOf<double> {
  using Type = std::uint64_t;
};
template <class V>
struct BitsOf<Pair<V>> {
  using Type = Pair<typename BitsOf<V>::Type>;
};
template <class V>
using Bits = typename BitsOf<V>::Type;

template <class V>
HWY_INLINE V number(double value) {
  if constexpr (kIsPair<V>) return {number<decltype(V::first)>(value), number<decltype(V::first)>(value)};
  else if constexpr (kIsNumber<V>) return static_cast<V>(value);
  else return hn::Set(hn::DFromV<V>(), static_cast<hn::TFromV<V>>(value));
}
template <class V>
HWY_INLINE Bits<V> integer(std::uint64_t value) {
  if constexpr (kIsPair<V>) return {integer<decltype(V::first)>(value), integer<decltype(V::first)>(value)};
  else if constexpr (kIsNumber<V>) return static_cast<Bits<V>>(value);
  else return hn::Set(hn::DFromV<Bits<V>>(), static_cast<hn::TFromV<Bits<V>>>(value));
}

template <class V>
HWY_INLINE Bits<V> bits_of(V x) {
  if constexpr (kIsPair<V>) return {bits_of(x.first), bits_of(x.second)};
  else if constexpr (kIsNumber<V>) return std::bit_cast<Bits<V>>(x);
  else return hn::BitCast(hn::DFromV<Bits<V>>(), x);
}
template <class V>
HWY_INLINE V number_of(Bits<V> bits) {
  if constexpr (kIsPair<V>)
    return {number_of<decltype(V::first)>(bits.first), number_of<decltype(V::first)>(bits.second)};
  else if constexpr (kIsNumber<V>) return std::bit_cast<V>(bits);
  else return hn::BitCast(hn::DFromV<V>(), bits);
}

template <int kBy, class B>
HWY_INLINE B shifted_left(B bits) {
  if constexpr (kIsPair<B>) return {shifted_left<kBy>(bits.first), shifted_left<kBy>(bits.second)};
  else if constexpr (kIsNumber<B>) return bits << kBy;
  else return hn::ShiftLeft<kBy>(bits);
}
template <int kBy, class B>
HWY_INLINE B shifted_right(B bits) {
  if constexpr (kIsPair<B>) return {shifted_right<kBy>(bits.first), shifted_right<kBy>(bits.second)};
  else if constexpr (kIsNumber<B>) return bits >> kBy;
  else return hn::ShiftRight<kBy>(bits);
}

/// The lesser or greater of two numbers; anything if one is NaN.
template <class V>
HWY_INLINE V least(V a, V b) {
  if constexpr (kIsPair<V>) return {least(a.first, b.first), least(a.second, b.second)};
  else if constexpr (kIsNumber<V>) return a < b ? a : b;
  else return hn::Min(a, b);
}
template <class V>
HWY_INLINE V greatest(V a, V b) {
  if constexpr (kIsPair<V>) return {greatest(a.first, b.first), greatest(a.second, b.second)};
  else if constexpr (kIsNumber<V>) return a > b ? a : b;
  else return hn::Max(a, b);
}
template <class V>
HWY_INLINE V magnitude(V x) {
  if constexpr (kIsPair<V>) return {magnitude(x.first), magnitude(x.second)};
  else if constexpr (kIsNumber<V>) return std::fabs(x);
  else return hn::Abs(x);
}
/// `x`, which is not negative, with the sign of `sign`.
template <class V>
HWY_INLINE V with_sign(V x, V sign) {
  if constexpr (kIsNumber<V>) return std::copysign(x, sign);
  else return hn::CopySignToAbs(x, sign);
}

/// Comparisons; false of NaN.
template <class V>
HWY_INLINE auto is_less(V a, V b) {
  if constexpr (kIsNumber<V>) return a < b;
  else return hn::Lt(a, b);
}
template <class V>
HWY_INLINE auto is_equal(V a, V b) {
  if constexpr (kIsNumber<V>) return a == b;
  else return hn::Eq(a, b);
}
template <class Condition, class V>
HWY_INLINE V choose(Condition condition, V yes, V no) {
  if constexpr (kIsNumber<V>) return condition ? yes : no;
  else return hn::IfThenElse(condition, yes, no);
}
/// Whether it holds for every element of a V.
template <class V, class Condition>
HWY_INLINE bool all_hold(Condition condition) {
  if constexpr (kIsNumber<V>) return condition;
  else return hn::AllTrue(hn::DFromV<V>(), condition);
}
/// `value` where a condition on the operands holds, otherwise NaN.
template <class Condition, class V>
HWY_INLINE V only_if(Condition condition, V value) {
  return choose(condition, value, number<V>(std::numeric_limits<double>::quiet_NaN()));
}

#if HWY_ARCH_X86 && HWY_TARGET > HWY_AVX2
/// A sum and its rounding error.
template <class V>
struct Sum {
  V sum, lost;

  HWY_INLINE Sum(V a, V b) : sum(a + b) {
    const auto part = sum - a;
    lost = (a - (sum - part)) + (b - part);
  }
};
/// fused() where the processor has no such instruction: the exact product in two parts (Dekker), to which c is added so
/// that only the last addition rounds (Boldo and Melquiond, "Emulation of a FMA and correctly rounded sums").
template <class V>
HWY_INLINE V fused_of_parts(V a, V b, V c) {
  const auto split = number<V>(0x1p27 + 1);
  const auto a_times = a * split, a_high = a_times - (a_times - a), a_low = a - a_high;
  const auto b_times = b * split, b_high = b_times - (b_times - b), b_low = b - b_high;
  const auto product = a * b;
  const auto rest = a_low * b_low - (((product - a_high * b_high) - a_low * b_high) - a_high * b_low);
  const Sum<V> low(c, rest), high(product, low.sum), tail(low.lost, high.lost);
  // Rounded to odd: where something is lost, an even last bit is made odd on the side where it is.
  const auto bits = bits_of(tail.sum), one = integer<V>(1);
  const auto step = one - shifted_left<1>(shifted_right<63>(bits ^ bits_of(tail.lost)));
  const auto odd = number_of<V>(bits + (step & ((bits & one) - one)));
  const auto result = high.sum + choose(is_equal(tail.lost, number<V>(0)), tail.sum, odd);
  return choose(is_equal(result, number<V>(0)), product + c, result);  // of the right sign
}
#endif

/// a * b + c, rounded once, for operands and products within 2^900 and beyond 2^-900 or zero.
template <class V>
HWY_INLINE V fused(V a, V b, V c) {
  if constexpr (kIsPair<V>) return {fused(a.first, b.first, c.first), fused(a.second, b.second, c.second)};
  else if constexpr (kIsNumber<V>) return std::fma(a, b, c);
#if HWY_ARCH_X86 && HWY_TARGET > HWY_AVX2
  else return fused_of_parts(a, b, c);
#else
  else return hn::MulAdd(a, b, c);
#endif
}
template <class V>
  requires(!kIsNumber<V>)
HWY_INLINE V fused(V a, V b, double c) {
  return fused(a, b, number<V>(c));
}

/// Entries of a table by the low bits of integers.
template <class V>
HWY_INLINE V entry(const double* table, Bits<V> index) {
  if constexpr (kIsPair<V>)
    return {entry<decltype(V::first)>(table, index.first), entry<decltype(V::first)>(table, index.second)};
  else if constexpr (kIsNumber<V>) return table[index];
  else return hn::GatherIndex(hn::DFromV<V>(), table, hn::BitCast(hn::RebindToSigned<hn::DFromV<V>>(), index));
}

/// Index into sixteen entries: the low four bits of an integer.
template <class V>
class Sixteenth {
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
  // VPERMT2PD ignores the other bits.
  static constexpr bool kPermutes = !kIsNumber<V>;
#else
  static constexpr bool kPermutes = false;
#endif

 public:
  HWY_INLINE explicit Sixteenth(Bits<V> bits) : index_(bits) {
    if constexpr (!kPermutes) index_ = bits & integer<V>(15);
  }
  [[nodiscard]] HWY_INLINE V of(const double (&table)[16]) const {
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
    if constexpr (kPermutes) {
      const hn::DFromV<V> d;
      return V{_mm512_permutex2var_pd(hn::LoadU(d, table).raw, index_.raw, hn::LoadU(d, table + 8).raw)};
    }
#endif
    return entry<V>(table, index_);
  }

 private:
  Bits<V> index_;
};
template <class V>
class Sixteenth<Pair<V>> {
 public:
  HWY_INLINE explicit Sixteenth(Bits<Pair<V>> bits) : first_(bits.first), second_(bits.second) {}
  [[nodiscard]] HWY_INLINE Pair<V> of(const double (&table)[16]) const { return {first_.of(table), second_.of(table)}; }

 private:
  Sixteenth<V> first_, second_;
};

}  // namespace macaw::tosa::HWY_NAMESPACE::elementary
HWY_AFTER_NAMESPACE();

#endif
