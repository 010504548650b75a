#include <limits>

#include "reference/tosa/kernels/reduce/float_fold.hpp"
#include "reference/tosa/op/reduction/arguments.hpp"

namespace macaw::tosa::REDUCE_MIN {
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
    using Limits = std::numeric_limits<T>;
    if (ignores_nan(call)) float_reduce(call, Limits::quiet_NaN(), [](T a, T b) { return float_min<true>(a, b); });
    else float_reduce(call, Limits::infinity(), [](T a, T b) { return float_min<false>(a, b); });
    return {};
  }
};

constexpr TypeRow kRows[] = {
    row({kINT8}).in(kProInt).by(kernel<std::int8_t>),
    row({kINT16}).in(kProInt).by(kernel<std::int16_t>),
    row({kINT32}).in(kProInt).by(kernel<std::int32_t>),
    row({kINT64}).in(kExtInt64).since(1, 1).by(kernel<std::int64_t>),
    MACAW_FLOAT_ROWS(float_kernel<Float>),
};

}  // namespace

extern constexpr Definition kDefinition = {Op::kREDUCE_MIN, kNanReductionArguments, kReductionTypes,
                                           kRows,           kReductionChecks,       reduced_shapes};

}  // namespace macaw::tosa::REDUCE_MIN
