#pragma once
#include <macaw/tosa/interpreter.hpp>

#include <cstdint>
#include <optional>
#include <unordered_map>

#include "reference/tosa/op/def.hpp"
#include "reference/tosa/plan.hpp"

namespace macaw::tosa {

/// Results that are the same in all runs of a graph with the same options; a run adds its results.
struct RunCache {
  struct OperatorCache {
    const TypeRow* row = nullptr;         ///< if the rules hold in every run
    std::optional<bool> fuses_with_next;  ///< whether the next reader takes the output tile by tile
  };
  std::unordered_map<const Operator*, OperatorCache> operators;
  std::unordered_map<const Block*, Plan> plans;
  std::optional<std::int64_t> constant_bytes;
};

/// validate(), which also caches the rows of operators whose rules hold in every run.
[[nodiscard]] Result<Verdict> validate(const Graph& graph, const Options& options, RunCache& cache);

}  // namespace macaw::tosa
