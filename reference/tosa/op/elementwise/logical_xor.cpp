#include "reference/tosa/kernels/elementwise/broadcast.hpp"
#include "reference/tosa/op/declare.hpp"
#include "reference/tosa/op/elementwise/arguments.hpp"
#include "reference/tosa/op/elementwise/broadcast_rule.hpp"

namespace macaw::tosa::LOGICAL_XOR {
namespace {

constexpr Kernel kKernel = binary_kernel<bool, bool, [](bool a, bool b) { return bool(a != b); }>;

constexpr TypeRow kRows[] = {
    row({kBOOL}).in(kProIntOrFp).by(kKernel),
};
constexpr Check kChecks[] = {kBroadcastCheck};

}  // namespace

extern constexpr Definition kDefinition = {Op::kLOGICAL_XOR, kBinaryArguments, kInOutType, kRows,
                                           kChecks,          broadcast_shapes};

}  // namespace macaw::tosa::LOGICAL_XOR
