#include <limits>

#include "reference/tosa/kernels/elementwise/broadcast.hpp"
#include "reference/tosa/op/declare.hpp"
#include "reference/tosa/op/elementwise/arguments.hpp"
#include "reference/tosa/op/elementwise/broadcast_rule.hpp"

namespace macaw::tosa::INTDIV {
namespace {

constexpr Check kQuotientFits =
    found_by_kernel("input2", "the divisor must not be 0, and the quotient must fit the type");

/// a / b, which must be defined, without the division that has no vectors. A quotient of floating-point numbers, made a
/// little smaller than it may be too large by, leaves a remainder with the sign of `a`; the quotient of that one is at
/// most one short.
template <class T>
T quotient(T a, T b) {
  using Float = std::conditional_t<sizeof(T) == 4, float, double>;
  using U = std::make_unsigned_t<T>;
  constexpr Float kLess = 1 - 8 * std::numeric_limits<Float>::epsilon();
  const Float reciprocal = kLess / static_cast<Float>(b);
  const auto times = [](T x, T y) { return static_cast<T>(static_cast<U>(x) * static_cast<U>(y)); };
  const auto magnitude = [](T x) { return x < 0 ? U{0} - static_cast<U>(x) : static_cast<U>(x); };
  const auto first = static_cast<T>(static_cast<Float>(a) * reciprocal);
  const T left = a - times(first, b);
  const auto second = static_cast<T>(static_cast<Float>(left) * reciprocal);
  const T rest = left - times(second, b);
  const T one = (a ^ b) < 0 ? -1 : 1;
  return first + second + (magnitude(rest) >= magnitude(b) ? one : 0);
}

template <class T>
Result<void> kernel(Call& call) {
  const bool holds = binary<T, T>(call, [](T a, T b, T& mark) {
    const bool defined = b != 0 && !(a == std::numeric_limits<T>::min() && b == -1);
    mark |= defined ? 0 : -1;
    return quotient(a, defined ? b : 1);
  });
  call.require(holds, kQuotientFits);
  return {};
}

constexpr TypeRow kRows[] = {
    row({kINT32}).in(kProIntOrFp).by(kernel<std::int32_t>),
    row({kINT64}).in(kExtInt64).since(1, 1).by(kernel<std::int64_t>),
};
constexpr Check kChecks[] = {kBroadcastCheck, kQuotientFits};

}  // namespace

extern constexpr Definition kDefinition = {Op::kINTDIV, kBinaryArguments, kInOutType, kRows, kChecks, broadcast_shapes};

}  // namespace macaw::tosa::INTDIV
