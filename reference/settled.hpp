#pragma once
#include <macaw/tosa/interpreter.hpp>

#include <cstdint>
#include <optional>
#include <unordered_map>

#include "reference/op/def.hpp"
#include "reference/plan.hpp"

namespace macaw::tosa {

/// What is the same in all runs of a graph with the same options, as far as it has been found.
struct Settled {
  struct OfOperator {
    const TypeRow* row = nullptr;  ///< if the rules hold in every run
    std::optional<bool> joins;     ///< whether the output goes to the next reader in tiles
  };
  std::unordered_map<const Operator*, OfOperator> operators;
  std::unordered_map<const Block*, Plan> plans;
  std::optional<std::int64_t> constant_bytes;
};

/// validate(), which finds the rows of operators whose rules hold in every run on the way.
[[nodiscard]] Result<Verdict> validate(const Graph& graph, const Options& options, Settled& settled);

}  // namespace macaw::tosa
