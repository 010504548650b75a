#include "reference/op/elementwise/arguments.hpp"
#include "reference/op/elementwise/broadcast.hpp"

namespace macaw::tosa {
namespace {

constexpr Kernel kKernel = unary_kernel<bool, bool, [](bool a) { return !a; }>;

constexpr TypeRow kRows[] = {
    {{DType::kBOOL}, kInProIntOrFp, 0, kKernel},
};

}  // namespace

extern constexpr Definition kLOGICAL_NOT = {Op::kLOGICAL_NOT, kUnaryArguments, kInOutType, kRows, {}};

}  // namespace macaw::tosa
