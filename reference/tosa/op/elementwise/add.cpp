#include "reference/tosa/kernels/elementwise/broadcast.hpp"
#include "reference/tosa/kernels/elementwise/float.hpp"
#include "reference/tosa/op/elementwise/arguments.hpp"
#include "reference/tosa/op/elementwise/broadcast_rule.hpp"
#include "reference/tosa/op/float_rows.hpp"

namespace macaw::tosa::ADD {
namespace {

constexpr Check kSumFits = found_by_kernel("output", "the sum must fit the type");

// apply_add_s: the sum is taken modulo 2^n; it overflowed if its sign is neither operand's.
template <class T>
Result<void> kernel(Call& call) {
  using U = std::make_unsigned_t<T>;
  const bool holds = binary<T, T>(call, [](T a, T b, T& mark) {
    const auto result = static_cast<T>(static_cast<U>(static_cast<U>(a) + static_cast<U>(b)));
    mark |= (a ^ result) & (b ^ result);
    return result;
  });
  call.require(holds, kSumFits);
  return {};
}

constexpr TypeRow kRows[] = {
    row({kINT32}).in(kProIntOrFp).takes_tiles(0, 1).by(kernel<std::int32_t>),
    row({kINT64}).in(kExtInt64).since(1, 1).takes_tiles(0, 1).by(kernel<std::int64_t>),
    MACAW_FLOAT_ROWS((kFloatBinary<[](auto a, auto b) { return a + b; }>)),
};
constexpr Check kChecks[] = {kBroadcastCheck, kSumFits};

}  // namespace

extern constexpr Definition kDefinition = {Op::kADD, kBinaryArguments, kInOutType, kRows, kChecks, broadcast_shapes};

}  // namespace macaw::tosa::ADD
