#include "reference/fast/elementwise/broadcast.hpp"
#include "reference/op/elementwise/arguments.hpp"

namespace macaw::tosa {
namespace {

template <class T>
constexpr Kernel kKernel = binary_kernel<T, T, [](T a, T b) { return static_cast<T>(a | b); }>;

constexpr TypeRow kRows[] = {
    {{DType::kINT8}, kInProInt, 0, kKernel<std::int8_t>},
    {{DType::kINT16}, kInProInt, 0, kKernel<std::int16_t>},
    {{DType::kINT32}, kInProInt, 0, kKernel<std::int32_t>},
    {{DType::kINT64}, kInExtInt64, 1, kKernel<std::int64_t>},
};
constexpr Check kChecks[] = {kBroadcastCheck};

}  // namespace

extern constexpr Definition kBITWISE_OR = {Op::kBITWISE_OR, kBinaryArguments, kInOutType,
                                           kRows,           kChecks,          broadcast_shapes};

}  // namespace macaw::tosa
