#include <cmath>

#include "reference/tosa/kernels/elementwise/function.hpp"
#include "reference/tosa/op/elementwise/arguments.hpp"
#include "reference/tosa/op/float_rows.hpp"

namespace macaw::tosa::LOG {
namespace {

// The bounds are those that the compliance rule of the specification multiplies (chapters/ewise_unary.adoc).
constexpr Kernel kKernel =
    kFloatFunction<Function::kLog, [](double x) { return std::log(x); }, [](auto a) { return decltype(a){5}; }>;

constexpr TypeRow kRows[] = {MACAW_FLOAT_ROWS(kKernel)};

}  // namespace

extern constexpr Definition kDefinition = {Op::kLOG, kUnaryArguments, kInOutType, kRows, {}};

}  // namespace macaw::tosa::LOG
