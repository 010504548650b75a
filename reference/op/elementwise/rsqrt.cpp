#include <cmath>

#include "reference/fast/elementwise/function.hpp"
#include "reference/op/elementwise/arguments.hpp"
#include "reference/op/float_rows.hpp"

namespace macaw::tosa::RSQRT {
namespace {

constexpr Kernel kKernel = kFloatFunction<elementary::reciprocal_root, [](double x) { return 1 / std::sqrt(x); }>;

constexpr TypeRow kRows[] = {MACAW_FLOAT_ROWS(kKernel)};

}  // namespace

extern constexpr Definition kDefinition = {Op::kRSQRT, kUnaryArguments, kInOutType, kRows, {}};

}  // namespace macaw::tosa::RSQRT
