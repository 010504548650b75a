#include <cmath>

#include "reference/tosa/kernels/elementwise/broadcast.hpp"
#include "reference/tosa/kernels/elementwise/float.hpp"
#include "reference/tosa/op/elementwise/arguments.hpp"
#include "reference/tosa/op/float_rows.hpp"

namespace macaw::tosa::ABS {
namespace {

constexpr Check kAbsoluteFits = found_by_kernel("output", "the absolute value must fit the type");

// The least value has no opposite and keeps its sign.
template <class T>
Result<void> kernel(Call& call) {
  using U = std::make_unsigned_t<T>;
  const bool holds = unary<T, T>(call, [](T a, T& mark) {
    const auto result = static_cast<T>(a < 0 ? U{0} - static_cast<U>(a) : static_cast<U>(a));
    mark |= result;
    return result;
  });
  call.require(holds, kAbsoluteFits);
  return {};
}

constexpr TypeRow kRows[] = {
    row({kINT32}).in(kProInt).by(kernel<std::int32_t>),
    row({kINT64}).in(kExtInt64).since(1, 1).by(kernel<std::int64_t>),
    MACAW_FLOAT_ROWS((kFloatUnary<[](auto a) { return std::fabs(a); }>)),
};
constexpr Check kChecks[] = {kAbsoluteFits};

}  // namespace

extern constexpr Definition kDefinition = {Op::kABS, kUnaryArguments, kInOutType, kRows, kChecks};

}  // namespace macaw::tosa::ABS
