#include <cmath>

#include "reference/fast/elementwise/float.hpp"
#include "reference/op/elementwise/arguments.hpp"
#include "reference/op/float_rows.hpp"

namespace macaw::tosa {
namespace {

constexpr Kernel kKernel = kFloatUnary<[](auto a) { return std::floor(a); }>;

constexpr TypeRow kRows[] = {MACAW_FLOAT_ROWS(kKernel)};

}  // namespace

extern constexpr Definition kFLOOR = {Op::kFLOOR, kUnaryArguments, kInOutType, kRows, {}};

}  // namespace macaw::tosa
