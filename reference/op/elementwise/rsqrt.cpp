#include <cmath>

#include "reference/op/elementwise/arguments.hpp"
#include "reference/op/elementwise/function.hpp"

namespace macaw::tosa {
namespace {

// In double, whose error disappears in the rounding to float but for rare cases.
constexpr auto reciprocal_root = [](double x) { return 1 / std::sqrt(x); };
constexpr Kernel kKernel = kFloatFunction<reciprocal_root, reciprocal_root>;

constexpr TypeRow kRows[] = {MACAW_FLOAT_ROWS(kKernel)};

}  // namespace

extern constexpr Definition kRSQRT = {Op::kRSQRT, kUnaryArguments, kInOutType, kRows, {}};

}  // namespace macaw::tosa
