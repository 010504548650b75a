#include <cmath>

#include "reference/op/elementwise/arguments.hpp"
#include "reference/op/elementwise/float.hpp"

namespace macaw::tosa {
namespace {

// The bounds are those that the compliance rule of the specification multiplies (chapters/ewise_unary.adoc).
constexpr Kernel kKernel = kFloatUnary<[](auto a) { return in_double<[](double x) { return std::cos(x); }>(a); },
                                       [](auto a) { return 1 + std::fabs(a); }>;

constexpr TypeRow kRows[] = {MACAW_FLOAT_ROWS(kKernel)};

}  // namespace

extern constexpr Definition kCOS = {Op::kCOS, kUnaryArguments, kInOutType, kRows, {}};

}  // namespace macaw::tosa
