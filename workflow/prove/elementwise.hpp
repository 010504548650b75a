#pragma once
#include <macaw/tosa/graph.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include "workflow/compare/trace/trace.hpp"
#include "workflow/prove/subgraph.hpp"

namespace macaw::prove {

/// Runs an elementwise operation and the graph's operators on every pair of int8 values, or every value of one int16.
/// `swapped`: the chain's first input is the operation's second. Empty: equal for all pairs; else why they differ, or
/// why equality is unknown. `example`: receives the values of the chain's inputs for which they differ, in its order.
[[nodiscard]] std::string compare_pairs(const tosa::Graph& graph, const Chain& chain, const compare::Record& record,
                                        const npu::Accelerator& accelerator, bool swapped,
                                        std::vector<std::int64_t>& example);

/// Whether an elementwise operation on one operand of 8 or 16 bits returns every value unchanged, in whatever order.
[[nodiscard]] bool is_copy(const compare::Record& record, const npu::Accelerator& accelerator);

}  // namespace macaw::prove
