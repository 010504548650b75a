#include "reference/tosa/kernels/elementwise/broadcast.hpp"
#include "reference/tosa/op/declare.hpp"
#include "reference/tosa/op/elementwise/arguments.hpp"
#include "reference/tosa/op/elementwise/broadcast_rule.hpp"

namespace macaw::tosa::LOGICAL_RIGHT_SHIFT {
namespace {

constexpr Check kShiftInRange =
    found_by_kernel("input2", "a shift must be at least 0 and less than the bits of the type");

template <class T>
Result<void> kernel(Call& call) {
  constexpr T kBits = 8 * sizeof(T);
  const bool holds = binary<T, T>(call, [](T a, T b, T& mark) {
    mark |= b | static_cast<T>(kBits - 1 - b);
    const auto shift = static_cast<unsigned>(b) & static_cast<unsigned>(kBits - 1);
    return static_cast<T>(static_cast<std::make_unsigned_t<T>>(a) >> shift);
  });
  call.require(holds, kShiftInRange);
  return {};
}

constexpr TypeRow kRows[] = {
    row({kINT8}).in(kProIntOrFp).by(kernel<std::int8_t>),
    row({kINT16}).in(kProIntOrFp).by(kernel<std::int16_t>),
    row({kINT32}).in(kProIntOrFp).by(kernel<std::int32_t>),
    row({kINT64}).in(kExtInt64).since(1, 1).by(kernel<std::int64_t>),
};
constexpr Check kChecks[] = {kBroadcastCheck, kShiftInRange};

}  // namespace

extern constexpr Definition kDefinition = {Op::kLOGICAL_RIGHT_SHIFT, kBinaryArguments, kInOutType, kRows, kChecks,
                                           broadcast_shapes};

}  // namespace macaw::tosa::LOGICAL_RIGHT_SHIFT
