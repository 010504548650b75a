#include <cmath>

#include "reference/tosa/kernels/elementwise/function.hpp"
#include "reference/tosa/op/elementwise/arguments.hpp"
#include "reference/tosa/op/float_rows.hpp"

namespace macaw::tosa::SIGMOID {
namespace {

// The bounds are those that the compliance rule of the specification multiplies (chapters/activation_funcs.adoc).
constexpr Kernel kKernel = kFloatFunction<Function::kSigmoid, [](double x) { return 1 / (1 + std::exp(-x)); },
                                          [](auto a) { return 2 * (1 + std::fabs(a)); }>;

constexpr TypeRow kRows[] = {MACAW_FLOAT_ROWS(kKernel)};

}  // namespace

extern constexpr Definition kDefinition = {Op::kSIGMOID, kActivationArguments, kInOutType, kRows, {}};

}  // namespace macaw::tosa::SIGMOID
