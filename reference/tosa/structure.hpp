#pragma once
#include <macaw/tosa/graph.hpp>
#include <macaw/tosa/verdict.hpp>

#include <vector>

namespace macaw::tosa {

/// Checks any graph before its operators are examined: there is a main block, indices are in range,
/// every value is assigned once and before its use, bodies of COND_IF and WHILE_LOOP exist. Graphs of the importers
/// keep this; graphs built by hand may not.
[[nodiscard]] std::vector<BrokenRule> check_structure(const Graph& graph);

/// Types and shapes of the bodies of COND_IF and WHILE_LOOP against the operator's own operands (control_flow chapter).
void check_bodies(const Graph& graph, const Block& block, const Operator& op, const std::string& place,
                  std::vector<BrokenRule>& findings);

/// "operator 3 (ADD)", with the block's name in front outside the main block.
[[nodiscard]] std::string place_of(const Graph& graph, const Block& block, std::size_t operator_index);

}  // namespace macaw::tosa
