#pragma once
#include <optional>
#include <string>

#include "workflow/inference/cost_tables.hpp"
#include "workflow/inference/operator_work.hpp"

namespace macaw::inference {

/// The core, library and compiler of an operator, all stated.
struct Place {
  std::string core, library, compiler;
};

/// Cycles of an operator, or why they are unknown.
struct Price {
  std::optional<Range> cycles;
  std::string source;  ///< source of the cycles, or the reason
};

/// From the library's table, else from those that it refers to: a figure for the operator's own type takes precedence
/// over those of other types.
[[nodiscard]] Price price_of(const CostTables& tables, const OperatorWork& work, const Place& place);

}  // namespace macaw::inference
