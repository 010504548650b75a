#include "reference/tosa/kernels/elementwise/broadcast.hpp"
#include "reference/tosa/op/declare.hpp"
#include "reference/tosa/op/elementwise/arguments.hpp"
#include "reference/tosa/op/elementwise/broadcast_rule.hpp"

namespace macaw::tosa::BITWISE_OR {
namespace {

template <class T>
constexpr Kernel kKernel = binary_kernel<T, T, [](T a, T b) { return static_cast<T>(a | b); }>;

constexpr TypeRow kRows[] = {
    row({kINT8}).in(kProInt).by(kKernel<std::int8_t>),
    row({kINT16}).in(kProInt).by(kKernel<std::int16_t>),
    row({kINT32}).in(kProInt).by(kKernel<std::int32_t>),
    row({kINT64}).in(kExtInt64).since(1, 1).by(kKernel<std::int64_t>),
};
constexpr Check kChecks[] = {kBroadcastCheck};

}  // namespace

extern constexpr Definition kDefinition = {Op::kBITWISE_OR, kBinaryArguments, kInOutType,
                                           kRows,           kChecks,          broadcast_shapes};

}  // namespace macaw::tosa::BITWISE_OR
