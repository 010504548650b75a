#include "reference/tosa/kernels/elementwise/broadcast.hpp"
#include "reference/tosa/kernels/elementwise/float.hpp"
#include "reference/tosa/op/declare.hpp"
#include "reference/tosa/op/elementwise/arguments.hpp"
#include "reference/tosa/op/elementwise/broadcast_rule.hpp"

namespace macaw::tosa::GREATER {
namespace {

template <class T>
constexpr Kernel kKernel = binary_kernel<T, bool, [](T a, T b) { return (a > b); }>;

constexpr Kernel kFloat = kFloatComparison<[](auto a, auto b) { return (a > b); }>;

constexpr TypeRow kRows[] = {
    row({kINT32, kBOOL}).in(kProInt).by(kKernel<std::int32_t>),
    row({kINT64, kBOOL}).in(kExtInt64).since(1, 1).by(kKernel<std::int64_t>),
    row({kFP16, kBOOL}).in(kProFp).by(kFloat),
    row({kBF16, kBOOL}).in(kExtBf16).by(kFloat),
    row({kFP32, kBOOL}).in(kProFp).by(kFloat),
};
constexpr Check kChecks[] = {kBroadcastCheck};

}  // namespace

extern constexpr Definition kDefinition = {Op::kGREATER, kComparisonArguments, kInAndOutTypes, kRows,
                                           kChecks,      broadcast_shapes};

}  // namespace macaw::tosa::GREATER
