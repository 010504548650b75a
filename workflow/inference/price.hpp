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

/// Cycles of an operator, or why they are not known.
struct Price {
  std::optional<Range> cycles;
  std::string source;  ///< of the cycles, or the reason
};

/// By the library's table, else by those that it names: first a figure of the operator's own type, then of another.
[[nodiscard]] Price price_of(const CostTables& tables, const OperatorWork& work, const Place& place);

}  // namespace macaw::inference
