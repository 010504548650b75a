#include <cmath>

#include "reference/op/elementwise/arguments.hpp"
#include "reference/op/elementwise/float.hpp"

namespace macaw::tosa {
namespace {

constexpr Kernel kKernel = kFloatUnary<[](auto a) { return in_double<[](double x) { return 1 / std::sqrt(x); }>(a); }>;

constexpr TypeRow kRows[] = {MACAW_FLOAT_ROWS(kKernel)};

}  // namespace

extern constexpr Definition kRSQRT = {Op::kRSQRT, kUnaryArguments, kInOutType, kRows, {}};

}  // namespace macaw::tosa
