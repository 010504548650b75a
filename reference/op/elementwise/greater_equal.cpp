#include "reference/op/elementwise/arguments.hpp"
#include "reference/op/elementwise/broadcast.hpp"

namespace macaw::tosa {
namespace {

template <class T>
constexpr Kernel kKernel = binary_kernel<T, bool, [](T a, T b) { return (a >= b); }>;

constexpr TypeRow kRows[] = {
    {{DType::kINT32, DType::kBOOL}, kInProInt, 0, kKernel<std::int32_t>},
    {{DType::kINT64, DType::kBOOL}, kInExtInt64, 1, kKernel<std::int64_t>},
};
constexpr Check kChecks[] = {kBroadcastCheck};

}  // namespace

extern constexpr Definition kGREATER_EQUAL = {Op::kGREATER_EQUAL, kComparisonArguments, kInAndOutTypes, kRows, kChecks,
                                              broadcast_shapes};

}  // namespace macaw::tosa
