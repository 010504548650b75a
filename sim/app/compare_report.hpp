#pragma once
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "sim/compare/compare.hpp"
#include "sim/compare/locate.hpp"

namespace macaw::app {

/// One comparison of `macaw compare`.
struct ComparedRun {
  std::string inputs;  ///< "given" or "seed 7"
  std::vector<compare::OutputComparison> outputs;
  std::optional<compare::Location> location;  ///< if operators were looked at

  [[nodiscard]] bool equal() const;
};

/// `block` is the graph's, null if there is none.
[[nodiscard]] std::string compared_text(const ComparedRun& run, const tosa::Block* block, bool tensors);
[[nodiscard]] nlohmann::json compared_json(const std::vector<ComparedRun>& runs, const tosa::Block* block);

}  // namespace macaw::app
