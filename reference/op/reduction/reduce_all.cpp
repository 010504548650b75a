#include "reference/fast/reduce/axis.hpp"

namespace macaw::tosa {
namespace {

Result<void> kernel(Call& call) {
  (void)reduce<bool>(call, true, [](bool a, bool b) { return bool(a & b); });
  return {};
}

constexpr TypeRow kRows[] = {
    {{DType::kBOOL}, kInProIntOrFp, 0, kernel},
};

}  // namespace

extern constexpr Definition kREDUCE_ALL = {Op::kREDUCE_ALL, kReductionArguments, kReductionTypes,
                                           kRows,           kReductionChecks,    reduced_shapes};

}  // namespace macaw::tosa
