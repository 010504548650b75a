#include <cmath>

#include "reference/tosa/kernels/elementwise/function.hpp"
#include "reference/tosa/op/elementwise/arguments.hpp"
#include "reference/tosa/op/float_rows.hpp"

namespace macaw::tosa::EXP {
namespace {

// The bounds are those that the compliance rule of the specification multiplies (chapters/ewise_unary.adoc).
constexpr Kernel kKernel =
    kFloatFunction<Function::kExp, [](double x) { return std::exp(x); }, [](auto a) { return 2 * std::fabs(a); }>;

constexpr TypeRow kRows[] = {MACAW_FLOAT_ROWS(kKernel)};

}  // namespace

extern constexpr Definition kDefinition = {Op::kEXP, kUnaryArguments, kInOutType, kRows, {}};

}  // namespace macaw::tosa::EXP
