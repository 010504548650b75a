#include <cmath>

#include "reference/tosa/kernels/elementwise/function.hpp"
#include "reference/tosa/op/elementwise/arguments.hpp"
#include "reference/tosa/op/float_rows.hpp"

namespace macaw::tosa::TANH {
namespace {

// The bounds are those that the compliance rule of the specification multiplies (chapters/activation_funcs.adoc).
constexpr Kernel kKernel =
    kFloatFunction<Function::kTanh, [](double x) { return std::tanh(x); }, [](auto a) { return 8 * std::fabs(a); }>;

constexpr TypeRow kRows[] = {MACAW_FLOAT_ROWS(kKernel)};

}  // namespace

extern constexpr Definition kDefinition = {Op::kTANH, kActivationArguments, kInOutType, kRows, {}};

}  // namespace macaw::tosa::TANH
