#include <cmath>

#include "reference/op/elementwise/arguments.hpp"
#include "reference/op/elementwise/float.hpp"

namespace macaw::tosa {
namespace {

// In double, whose error disappears in the rounding to float but for rare cases.
constexpr Kernel kKernel =
    kFloatUnary<[](auto a) { return static_cast<decltype(a)>(1 / std::sqrt(static_cast<double>(a))); }>;

constexpr TypeRow kRows[] = {MACAW_FLOAT_ROWS(kKernel)};

}  // namespace

extern constexpr Definition kRSQRT = {Op::kRSQRT, kUnaryArguments, kInOutType, kRows, {}};

}  // namespace macaw::tosa
