#include "reference/fast/elementwise/broadcast.hpp"
#include "reference/fast/elementwise/float.hpp"
#include "reference/op/elementwise/arguments.hpp"

namespace macaw::tosa {
namespace {

template <class T>
constexpr Kernel kKernel = binary_kernel<T, bool, [](T a, T b) { return a == b; }>;

constexpr Kernel kFloat = kFloatComparison<[](auto a, auto b) { return a == b; }>;

constexpr TypeRow kRows[] = {
    {{DType::kINT32, DType::kBOOL}, kInProInt, 0, kKernel<std::int32_t>},
    {{DType::kINT64, DType::kBOOL}, kInExtInt64, 1, kKernel<std::int64_t>},
    {{DType::kFP16, DType::kBOOL}, kInProFp, 0, kFloat},
    {{DType::kBF16, DType::kBOOL}, kInExtBf16, 0, kFloat},
    {{DType::kFP32, DType::kBOOL}, kInProFp, 0, kFloat},
};
constexpr Check kChecks[] = {kBroadcastCheck};

}  // namespace

extern constexpr Definition kEQUAL = {Op::kEQUAL, kComparisonArguments, kInAndOutTypes, kRows,
                                      kChecks,    broadcast_shapes};

}  // namespace macaw::tosa
