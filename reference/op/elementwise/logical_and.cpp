#include "reference/fast/elementwise/broadcast.hpp"
#include "reference/op/declare.hpp"
#include "reference/op/elementwise/arguments.hpp"
#include "reference/op/elementwise/broadcast_rule.hpp"

namespace macaw::tosa::LOGICAL_AND {
namespace {

constexpr Kernel kKernel = binary_kernel<bool, bool, [](bool a, bool b) { return bool(a & b); }>;

constexpr TypeRow kRows[] = {
    row({kBOOL}).in(kProIntOrFp).by(kKernel),
};
constexpr Check kChecks[] = {kBroadcastCheck};

}  // namespace

extern constexpr Definition kDefinition = {Op::kLOGICAL_AND, kBinaryArguments, kInOutType, kRows,
                                           kChecks,          broadcast_shapes};

}  // namespace macaw::tosa::LOGICAL_AND
