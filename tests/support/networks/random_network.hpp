#pragma once
#include "tests/support/cases/graph.hpp"

namespace macaw::test {

/// Operators and types of a random network.
enum class Choice {
  kAnything,     ///< every operator and type that some NPU has
  kEveryFamily,  ///< what U55, U65 and U85 all have
  kWideChain,    ///< INT32 arithmetic and comparisons, every second one followed by RESCALE
};

struct RandomNetwork {
  CaseGraph made;
  std::vector<Tensor> expected;  ///< by the interpreter
  std::vector<tosa::Op> ops;
};

/// `count` integer operators, each mostly working on a result of an earlier one; results that are read are mostly not
/// outputs, so that operators are fused. Deterministic in the seed.
[[nodiscard]] RandomNetwork random_network(std::uint64_t seed, int count, Choice choice);

}  // namespace macaw::test
