#pragma once
#include "tests/support/cases/graph.hpp"

namespace macaw::test {

struct RandomGraph {
  CaseGraph made;
  std::vector<tosa::Op> ops;  ///< of all blocks, without the constants that are operands
  int runs = 1;               ///< in a row, so that variables have something to keep
};

/// 1 to 8 operators, each mostly working on a result of an earlier one; graphs of COND_IF and WHILE_LOOP are made the
/// same way. CUSTOM is the operator of docs/examples/custom_op. Deterministic in the seed.
[[nodiscard]] RandomGraph random_operators(std::uint64_t seed);

}  // namespace macaw::test
