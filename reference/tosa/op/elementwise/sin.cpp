#include <cmath>

#include "reference/tosa/kernels/elementwise/function.hpp"
#include "reference/tosa/op/elementwise/arguments.hpp"
#include "reference/tosa/op/float_rows.hpp"

namespace macaw::tosa::SIN {
namespace {

// The bounds are those that the compliance rule of the specification multiplies (chapters/ewise_unary.adoc).
constexpr Kernel kKernel = kFloatFunction<Function::kSin, [](auto a) { return std::sin(a); }, [](auto a) { return a; }>;

constexpr TypeRow kRows[] = {MACAW_FLOAT_ROWS(kKernel)};

}  // namespace

extern constexpr Definition kDefinition = {Op::kSIN, kUnaryArguments, kInOutType, kRows, {}};

}  // namespace macaw::tosa::SIN
