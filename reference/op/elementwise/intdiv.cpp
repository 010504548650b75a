#include <limits>

#include "reference/op/elementwise/arguments.hpp"
#include "reference/op/elementwise/broadcast.hpp"

namespace macaw::tosa {
namespace {

constexpr Check kQuotientFits =
    found_by_kernel("input2", "the divisor must not be 0, and the quotient must fit the type");

template <class T>
Result<void> kernel(Call& call) {
  const bool holds = binary<T, T>(call, [](T a, T b, T& mark) {
    const bool defined = b != 0 && !(a == std::numeric_limits<T>::min() && b == -1);
    mark |= defined ? 0 : -1;
    return static_cast<T>(a / (defined ? b : 1));
  });
  call.require(holds, kQuotientFits);
  return {};
}

constexpr TypeRow kRows[] = {
    {{DType::kINT32}, kInProIntOrFp, 0, kernel<std::int32_t>},
    {{DType::kINT64}, kInExtInt64, 1, kernel<std::int64_t>},
};
constexpr Check kChecks[] = {kBroadcastCheck, kQuotientFits};

}  // namespace

extern constexpr Definition kINTDIV = {Op::kINTDIV, kBinaryArguments, kInOutType, kRows, kChecks, broadcast_shapes};

}  // namespace macaw::tosa
