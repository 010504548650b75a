#pragma once
#include <macaw/npu/operation.hpp>
#include <macaw/tosa/graph.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace macaw::prove {

using Values = std::vector<std::int64_t>;  ///< [step][channel]
/// Results of int8 or int16 for accumulators, monotone in each.
using Function = std::function<Result<Values>(const Values&)>;

/// Lowest and highest accumulator of each output channel, bias included.
struct AccumulatorRange {
  std::int64_t low = 0, high = 0;
};

constexpr std::int64_t kSteps = 255;  ///< searched at a time: for int8 all results but -128, which is always reached

/// Why the last stages of an operation are not a monotone function to int8 or int16; empty if they are.
[[nodiscard]] std::string not_monotone(const npu::BlockOperation& operation);

/// Result of a graph for its first input; the others are zero.
[[nodiscard]] Result<Values> graph_results(const tosa::Graph& graph, const Values& first);

/// Compares two functions of [kSteps][channels] accumulators by the smallest accumulator for each result of `bits`,
/// found by bisection for every channel. Empty: equal over the whole range; else why they differ, or why equality is
/// unknown.
[[nodiscard]] std::string compare_steps(const Function& graph, const Function& stream,
                                        const std::vector<AccumulatorRange>& ranges, std::size_t first_channel,
                                        int bits);

}  // namespace macaw::prove
