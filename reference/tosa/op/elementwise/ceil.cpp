#include <cmath>

#include "reference/tosa/kernels/elementwise/float.hpp"
#include "reference/tosa/op/elementwise/arguments.hpp"
#include "reference/tosa/op/float_rows.hpp"

namespace macaw::tosa::CEIL {
namespace {

constexpr Kernel kKernel = kFloatUnary<[](auto a) { return std::ceil(a); }>;

constexpr TypeRow kRows[] = {MACAW_FLOAT_ROWS(kKernel)};

}  // namespace

extern constexpr Definition kDefinition = {Op::kCEIL, kUnaryArguments, kInOutType, kRows, {}};

}  // namespace macaw::tosa::CEIL
