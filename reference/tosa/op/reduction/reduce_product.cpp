#include "reference/tosa/kernels/reduce/float_fold.hpp"
#include "reference/tosa/op/reduction/arguments.hpp"

namespace macaw::tosa::REDUCE_PRODUCT {
namespace {

struct Float {
  template <class T>
  static Result<void> run(Call& call) {
    float_reduce(call, T{1}, [](T a, T b) { return a * b; });
    return {};
  }
};

constexpr TypeRow kRows[] = {MACAW_FLOAT_ROWS(float_kernel<Float>)};

}  // namespace

extern constexpr Definition kDefinition = {Op::kREDUCE_PRODUCT, kReductionArguments, kReductionTypes, kRows,
                                           kReductionChecks,    reduced_shapes};

}  // namespace macaw::tosa::REDUCE_PRODUCT
