#include "reference/op/float_operand.hpp"
#include "reference/op/reduction/axis.hpp"

namespace macaw::tosa {
namespace {

struct Float {
  template <class T>
  static Result<void> run(Call& call) {
    const FloatInput<T> in(call.in(0));
    FloatOutput<T> out(call.out(0));
    fold(AxisWalk(call), in.data(), out.data(), T{1}, [](T a, T b) { return a * b; });
    return {};
  }
};

constexpr TypeRow kRows[] = {MACAW_FLOAT_ROWS(float_kernel<Float>)};

}  // namespace

extern constexpr Definition kREDUCE_PRODUCT = {Op::kREDUCE_PRODUCT, kReductionArguments, kReductionTypes, kRows,
                                               kReductionChecks,    reduced_shapes};

}  // namespace macaw::tosa
