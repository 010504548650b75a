#include <cmath>

#include "reference/tosa/kernels/elementwise/function.hpp"
#include "reference/tosa/op/elementwise/arguments.hpp"
#include "reference/tosa/op/float_rows.hpp"

namespace macaw::tosa::ERF {
namespace {

constexpr Kernel kKernel = kFloatFunction<Function::kErf, [](double x) { return std::erf(x); }>;

constexpr TypeRow kRows[] = {MACAW_FLOAT_ROWS(kKernel)};

}  // namespace

extern constexpr Definition kDefinition = {Op::kERF, kActivationArguments, kInOutType, kRows, {}};

}  // namespace macaw::tosa::ERF
