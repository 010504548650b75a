#include <bit>

#include "reference/tosa/kernels/elementwise/broadcast.hpp"
#include "reference/tosa/op/declare.hpp"
#include "reference/tosa/op/elementwise/arguments.hpp"

namespace macaw::tosa::CLZ {
namespace {

template <class T>
constexpr Kernel kKernel =
    unary_kernel<T, T, [](T a) { return static_cast<T>(std::countl_zero(static_cast<std::make_unsigned_t<T>>(a))); }>;

constexpr TypeRow kRows[] = {
    row({kINT32}).in(kProInt).by(kKernel<std::int32_t>),
    row({kINT64}).in(kExtInt64).since(1, 1).by(kKernel<std::int64_t>),
};

}  // namespace

extern constexpr Definition kDefinition = {Op::kCLZ, kUnaryArguments, kInOutType, kRows, {}};

}  // namespace macaw::tosa::CLZ
