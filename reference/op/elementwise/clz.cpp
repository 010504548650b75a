#include <bit>

#include "reference/fast/elementwise/broadcast.hpp"
#include "reference/op/elementwise/arguments.hpp"

namespace macaw::tosa {
namespace {

template <class T>
constexpr Kernel kKernel =
    unary_kernel<T, T, [](T a) { return static_cast<T>(std::countl_zero(static_cast<std::make_unsigned_t<T>>(a))); }>;

constexpr TypeRow kRows[] = {
    {{DType::kINT32}, kInProInt, 0, kKernel<std::int32_t>},
    {{DType::kINT64}, kInExtInt64, 1, kKernel<std::int64_t>},
};

}  // namespace

extern constexpr Definition kCLZ = {Op::kCLZ, kUnaryArguments, kInOutType, kRows, {}};

}  // namespace macaw::tosa
