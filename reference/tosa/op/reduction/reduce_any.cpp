#include "reference/tosa/kernels/reduce/axis.hpp"
#include "reference/tosa/op/reduction/arguments.hpp"

namespace macaw::tosa::REDUCE_ANY {
namespace {

Result<void> kernel(Call& call) {
  (void)reduce<bool>(call, false, [](bool a, bool b) { return bool(a | b); });
  return {};
}

constexpr TypeRow kRows[] = {
    row({kBOOL}).in(kProIntOrFp).by(kernel),
};

}  // namespace

extern constexpr Definition kDefinition = {Op::kREDUCE_ANY, kReductionArguments, kReductionTypes,
                                           kRows,           kReductionChecks,    reduced_shapes};

}  // namespace macaw::tosa::REDUCE_ANY
