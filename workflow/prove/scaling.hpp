#pragma once
#include <macaw/tosa/graph.hpp>

#include <string>
#include <vector>

#include "workflow/compare/trace/trace.hpp"
#include "workflow/prove/steps.hpp"
#include "workflow/prove/subgraph.hpp"

namespace macaw::prove {

/// Compares the scaling and clamping of an operation with the graph's, whose chain starts at the accumulators, for
/// channels from the operation's `first_channel` on. Both are monotone step functions of the accumulator: they are
/// equal if every result value is first reached at the same accumulator, found by bisection for each channel. Empty:
/// equal over the whole range; else why they differ, or why equality is unknown.
[[nodiscard]] std::string compare_scaling(const tosa::Graph& graph, const Chain& chain, const compare::Record& record,
                                          const npu::Accelerator& accelerator, std::size_t first_channel,
                                          std::size_t all_channels, const std::vector<AccumulatorRange>& ranges);

}  // namespace macaw::prove
