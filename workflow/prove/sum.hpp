#pragma once
#include <macaw/tosa/graph.hpp>

#include <string>

#include "workflow/compare/trace/trace.hpp"
#include "workflow/prove/subgraph.hpp"

namespace macaw::prove {

/// Compares an ADD or SUB of two INT32 tensors with the scaling after it. Both sides are monotone step functions of the
/// exact sum, which the graph defines if it fits 32 bits. `swapped`: the chain's first input is the operation's second.
/// Empty: equal for every such sum; else why they differ, or why equality is unknown.
[[nodiscard]] std::string compare_sum(const tosa::Graph& graph, const Chain& chain, const compare::Record& record,
                                      const npu::Accelerator& accelerator, bool swapped);

}  // namespace macaw::prove
