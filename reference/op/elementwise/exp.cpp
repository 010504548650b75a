#include <cmath>

#include "reference/op/elementwise/arguments.hpp"
#include "reference/op/elementwise/float.hpp"

namespace macaw::tosa {
namespace {

// The bounds are those that the compliance rule of the specification multiplies (chapters/ewise_unary.adoc).
constexpr Kernel kKernel =
    kFloatUnary<[](auto a) { return elementary_function<elementary::exp, [](double x) { return std::exp(x); }>(a); },
                [](auto a) { return 2 * std::fabs(a); }>;

constexpr TypeRow kRows[] = {MACAW_FLOAT_ROWS(kKernel)};

}  // namespace

extern constexpr Definition kEXP = {Op::kEXP, kUnaryArguments, kInOutType, kRows, {}};

}  // namespace macaw::tosa
