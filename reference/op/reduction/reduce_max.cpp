#include <limits>

#include "reference/op/reduction/axis.hpp"

namespace macaw::tosa {
namespace {

template <class T>
Result<void> kernel(Call& call) {
  (void)reduce<T>(call, std::numeric_limits<T>::min(), [](T a, T b) { return a >= b ? a : b; });
  return {};
}

constexpr TypeRow kRows[] = {
    {{DType::kINT8}, kInProInt, 0, kernel<std::int8_t>},
    {{DType::kINT16}, kInProInt, 0, kernel<std::int16_t>},
    {{DType::kINT32}, kInProInt, 0, kernel<std::int32_t>},
    {{DType::kINT64}, kInExtInt64, 1, kernel<std::int64_t>},
};

}  // namespace

extern constexpr Definition kREDUCE_MAX = {Op::kREDUCE_MAX, kNanReductionArguments, kReductionTypes,
                                           kRows,           kReductionChecks,       reduced_shapes};

}  // namespace macaw::tosa
