#include "reference/tosa/kernels/reduce/axis.hpp"
#include "reference/tosa/op/reduction/arguments.hpp"

namespace macaw::tosa::REDUCE_ALL {
namespace {

Result<void> kernel(Call& call) {
  (void)reduce<bool>(call, true, [](bool a, bool b) { return bool(a & b); });
  return {};
}

constexpr TypeRow kRows[] = {
    row({kBOOL}).in(kProIntOrFp).by(kernel),
};

}  // namespace

extern constexpr Definition kDefinition = {Op::kREDUCE_ALL, kReductionArguments, kReductionTypes,
                                           kRows,           kReductionChecks,    reduced_shapes};

}  // namespace macaw::tosa::REDUCE_ALL
