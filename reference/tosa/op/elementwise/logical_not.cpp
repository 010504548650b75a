#include "reference/tosa/kernels/elementwise/broadcast.hpp"
#include "reference/tosa/op/declare.hpp"
#include "reference/tosa/op/elementwise/arguments.hpp"

namespace macaw::tosa::LOGICAL_NOT {
namespace {

constexpr Kernel kKernel =
    unary_kernel<std::uint8_t, std::uint8_t, [](std::uint8_t a) { return static_cast<std::uint8_t>(a ^ 1); }>;

constexpr TypeRow kRows[] = {
    row({kBOOL}).in(kProIntOrFp).by(kKernel),
};

}  // namespace

extern constexpr Definition kDefinition = {Op::kLOGICAL_NOT, kUnaryArguments, kInOutType, kRows, {}};

}  // namespace macaw::tosa::LOGICAL_NOT
