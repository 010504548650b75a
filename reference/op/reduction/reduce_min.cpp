#include <limits>

#include "reference/op/float_operand.hpp"
#include "reference/op/reduction/axis.hpp"

namespace macaw::tosa {
namespace {

template <class T>
Result<void> kernel(Call& call) {
  (void)reduce<T>(call, std::numeric_limits<T>::max(), [](T a, T b) { return a < b ? a : b; });
  return {};
}

// Without NaNs to propagate, NaN is the neutral element; infinity is where there is at least one.
struct Float {
  template <class T>
  static Result<void> run(Call& call) {
    const FloatInput<T> in(call.in(0));
    FloatOutput<T> out(call.out(0));
    using Limits = std::numeric_limits<T>;
    if (ignores_nan(call)) fold(AxisWalk(call), in.data(), out.data(), Limits::quiet_NaN(), float_min<true, T>);
    else fold(AxisWalk(call), in.data(), out.data(), Limits::infinity(), float_min<false, T>);
    return {};
  }
};

constexpr TypeRow kRows[] = {
    {{DType::kINT8}, kInProInt, 0, kernel<std::int8_t>},
    {{DType::kINT16}, kInProInt, 0, kernel<std::int16_t>},
    {{DType::kINT32}, kInProInt, 0, kernel<std::int32_t>},
    {{DType::kINT64}, kInExtInt64, 1, kernel<std::int64_t>},
    MACAW_FLOAT_ROWS(float_kernel<Float>),
};

}  // namespace

extern constexpr Definition kREDUCE_MIN = {Op::kREDUCE_MIN, kNanReductionArguments, kReductionTypes,
                                           kRows,           kReductionChecks,       reduced_shapes};

}  // namespace macaw::tosa
