#include "reference/fast/elementwise/broadcast.hpp"
#include "reference/op/elementwise/arguments.hpp"

namespace macaw::tosa {
namespace {

constexpr Kernel kKernel = binary_kernel<bool, bool, [](bool a, bool b) { return bool(a & b); }>;

constexpr TypeRow kRows[] = {
    {{DType::kBOOL}, kInProIntOrFp, 0, kKernel},
};
constexpr Check kChecks[] = {kBroadcastCheck};

}  // namespace

extern constexpr Definition kLOGICAL_AND = {Op::kLOGICAL_AND, kBinaryArguments, kInOutType, kRows,
                                            kChecks,          broadcast_shapes};

}  // namespace macaw::tosa
