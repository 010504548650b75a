#pragma once
#include <macaw/tosa/graph.hpp>

#include <string>
#include <vector>

#include "workflow/compare/trace/trace.hpp"
#include "workflow/prove/steps.hpp"
#include "workflow/prove/subgraph.hpp"

namespace macaw::prove {

/// Compares the scaling and clamping of an operation with those of the graph, whose chain starts at the accumulators,
/// for channels from `first_channel` of the
/// operator's on. Both are monotone step functions of the accumulator: they are equal if every value of the result is
/// first reached at the same accumulator, which is found by bisection, channel by channel. Empty: equal over the whole
/// range; else the reason why not, or why that is not known.
[[nodiscard]] std::string compare_scaling(const tosa::Graph& graph, const Chain& chain, const compare::Record& record,
                                          const npu::Accelerator& accelerator, std::size_t first_channel,
                                          std::size_t all_channels, const std::vector<AccumulatorRange>& ranges);

}  // namespace macaw::prove
