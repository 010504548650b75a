#include <cmath>

#include "reference/op/elementwise/arguments.hpp"
#include "reference/op/elementwise/float.hpp"

namespace macaw::tosa {
namespace {

constexpr Kernel kKernel =
    kFloatUnary<[](auto a) { return elementary_function<elementary::erf, [](double x) { return std::erf(x); }>(a); }>;

constexpr TypeRow kRows[] = {MACAW_FLOAT_ROWS(kKernel)};

}  // namespace

extern constexpr Definition kERF = {Op::kERF, kActivationArguments, kInOutType, kRows, {}};

}  // namespace macaw::tosa
