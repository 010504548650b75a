#pragma once
#include "tests/cases/graph.hpp"

namespace macaw::test {

struct RandomGraph {
  CaseGraph made;
  std::vector<Tensor> expected;  ///< by the naive operators
  bool predictable = true;       ///< false: the last operator breaks a REQUIRE, and there are no results
  std::vector<tosa::Op> ops;
};

/// 1 to 8 operators, each mostly working on a result of an earlier one. Deterministic in the seed.
[[nodiscard]] RandomGraph random_operators(std::uint64_t seed);

}  // namespace macaw::test
