#include "reference/tosa/kernels/elementwise/broadcast.hpp"
#include "reference/tosa/op/declare.hpp"
#include "reference/tosa/op/elementwise/arguments.hpp"
#include "reference/tosa/op/elementwise/broadcast_rule.hpp"

namespace macaw::tosa::ARITHMETIC_RIGHT_SHIFT {
namespace {

constexpr Check kShiftInRange =
    found_by_kernel("input2", "a shift must be at least 0 and less than the bits of the type");

constexpr Argument kArguments[] = {
    input("input1").type("in_out_t").shape("shape1"),
    input("input2").type("in_out_t").shape("shape2"),
    attribute("round").type("bool_t"),
    output("output").type("in_out_t").shape("shape"),
};

// With rounding, the last bit shifted out is added to the result.
template <class T, bool kRound>
bool shift(Call& call) {
  constexpr T kBits = 8 * sizeof(T);
  return binary<T, T>(call, [](T a, T b, T& mark) {
    mark |= b | static_cast<T>(kBits - 1 - b);
    const auto shift = static_cast<unsigned>(b) & static_cast<unsigned>(kBits - 1);
    if constexpr (!kRound) return static_cast<T>(a >> shift);
    // The last bit shifted out is the lowest one of twice the number shifted.
    if constexpr (sizeof(T) == 1) return static_cast<T>((static_cast<std::int16_t>((2 * a) >> shift) + 1) >> 1);
    const auto twice = static_cast<std::make_unsigned_t<T>>(static_cast<std::make_unsigned_t<T>>(a) << 1);
    return static_cast<T>((a >> shift) + static_cast<T>((twice >> shift) & 1));
  });
}

template <class T>
Result<void> kernel(Call& call) {
  const bool holds = call.attr(Attr::k_round) != 0 ? shift<T, true>(call) : shift<T, false>(call);
  call.require(holds, kShiftInRange);
  return {};
}

constexpr TypeRow kRows[] = {
    row({kINT8}).in(kProInt).by(kernel<std::int8_t>),
    row({kINT16}).in(kProInt).by(kernel<std::int16_t>),
    row({kINT32}).in(kProInt).by(kernel<std::int32_t>),
    row({kINT64}).in(kExtInt64).since(1, 1).by(kernel<std::int64_t>),
};
constexpr Check kChecks[] = {
    kBroadcastCheck,
    kShiftInRange,
    error_if("round", "round needs PRO-INT",
             [](const View& v) { return v.attr(Attr::k_round) != 0 && !(v.profiles & mask(kProInt)); }),
};

}  // namespace

extern constexpr Definition kDefinition = {
    Op::kARITHMETIC_RIGHT_SHIFT, kArguments, kInOutType, kRows, kChecks, broadcast_shapes};

}  // namespace macaw::tosa::ARITHMETIC_RIGHT_SHIFT
