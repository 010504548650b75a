#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <macaw/index_range.hpp>
#include <macaw/input_fit.hpp>
#include <macaw/npu/artifact.hpp>
#include <macaw/tosa/graph.hpp>
#include <macaw/tosa/verdict.hpp>

namespace macaw::compare {

/// Gives tensors the types and shapes of the graph's inputs: the bytes stay, any shape with the right element count and
/// width is taken. kMismatch if number, count or width is wrong.
[[nodiscard]] Result<std::vector<Tensor>> graph_inputs(const tosa::Graph& graph, const std::vector<Tensor>& tensors);

/// Ranges that a caller states, by the name of an input or its number.
using StatedRanges = std::map<std::string, IndexRange>;

/// "NAME=LEAST:MOST" of each; kUsage for another form, and for a range of more than 2^32 values.
[[nodiscard]] Result<StatedRanges> parse_ranges(const std::vector<std::string>& texts);
/// `ranges` with what is stated in their place. kUsage for a name that is not an input's, and for values that the
/// input's type does not have.
[[nodiscard]] Result<IndexRanges> with_stated(IndexRanges ranges, const std::vector<InputPort>& inputs,
                                              const StatedRanges& stated);
/// The values of a type of integers, of either sign where the network does not state it; absent for other types.
[[nodiscard]] std::optional<IndexRange> integer_limits(DType dtype, bool any_sign);
/// Brings the elements of inputs that are indices to the nearest value in their range.
void limit_to_ranges(std::vector<Tensor>& inputs, const IndexRanges& ranges);

/// Random inputs over the whole legal range of each type (INT4 -8..7, INT48, BOOL 0 or 1), those that are indices over
/// the rows that they pick (tosa::index_ranges()); the same seed gives the same bytes everywhere. kUnsupported for an
/// input without a static shape.
[[nodiscard]] Result<std::vector<Tensor>> random_inputs(const tosa::Graph& graph, std::uint32_t seed,
                                                        const StatedRanges& stated = {});
/// The same for a compiled network whose types may be unknown: random bytes, and indices by index_ranges().
[[nodiscard]] Result<std::vector<Tensor>> random_inputs(const npu::Artifact& artifact, std::uint32_t seed,
                                                        const StatedRanges& stated = {});
/// The same with ranges that are known.
[[nodiscard]] Result<std::vector<Tensor>> random_inputs(const npu::Artifact& artifact, std::uint32_t seed,
                                                        const IndexRanges& ranges);

/// The ranges of inputs of a compiled network, in its order, that become indices: of DMA jobs, found by how the indices
/// change with the input, and of GATHER and EMBEDDING_LOOKUP on the CPU that read an input.
[[nodiscard]] IndexRanges index_ranges(const npu::Artifact& artifact);

/// An error that names rule and operator unless the verdict is VALID.
[[nodiscard]] Result<void> require_valid(const tosa::Verdict& verdict, const std::string& file);

}  // namespace macaw::compare
