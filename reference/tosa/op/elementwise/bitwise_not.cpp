#include "reference/tosa/kernels/elementwise/broadcast.hpp"
#include "reference/tosa/op/declare.hpp"
#include "reference/tosa/op/elementwise/arguments.hpp"

namespace macaw::tosa::BITWISE_NOT {
namespace {

template <class T>
constexpr Kernel kKernel = unary_kernel<T, T, [](T a) { return static_cast<T>(~a); }>;

constexpr TypeRow kRows[] = {
    row({kINT8}).in(kProInt).by(kKernel<std::int8_t>),
    row({kINT16}).in(kProInt).by(kKernel<std::int16_t>),
    row({kINT32}).in(kProInt).by(kKernel<std::int32_t>),
    row({kINT64}).in(kExtInt64).since(1, 1).by(kKernel<std::int64_t>),
};

}  // namespace

extern constexpr Definition kDefinition = {Op::kBITWISE_NOT, kUnaryArguments, kInOutType, kRows, {}};

}  // namespace macaw::tosa::BITWISE_NOT
