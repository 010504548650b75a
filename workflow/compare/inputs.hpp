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

/// Gives tensors the types and shapes of the graph's inputs. The bytes are kept; any shape with the right element count
/// and width is accepted. kMismatch if number, count or width is wrong.
[[nodiscard]] Result<std::vector<Tensor>> graph_inputs(const tosa::Graph& graph, const std::vector<Tensor>& tensors);

/// Ranges that a caller states, by the name of an input or its number.
using StatedRanges = std::map<std::string, IndexRange>;

/// Parses "NAME=LEAST:MOST" items; kUsage for a malformed item and for a range of more than 2^32 values.
[[nodiscard]] Result<StatedRanges> parse_ranges(const std::vector<std::string>& texts);
/// `ranges` with the stated ones in their place. kUsage for a name that is not an input's, and for values outside the
/// input's type.
[[nodiscard]] Result<IndexRanges> with_stated(IndexRanges ranges, const std::vector<InputPort>& inputs,
                                              const StatedRanges& stated);
/// The values of an integer type, of either sign if the network does not state it; absent for other types.
[[nodiscard]] std::optional<IndexRange> integer_limits(DType dtype, bool any_sign);
/// Clamps the elements of index inputs to their range.
void limit_to_ranges(std::vector<Tensor>& inputs, const IndexRanges& ranges);

/// Random inputs over the whole legal range of each type (INT4 -8..7, INT48, BOOL 0 or 1); index inputs over the valid
/// rows (tosa::index_ranges()). The same seed gives the same bytes on every machine. kUnsupported for an input without
/// a static shape.
[[nodiscard]] Result<std::vector<Tensor>> random_inputs(const tosa::Graph& graph, std::uint32_t seed,
                                                        const StatedRanges& stated = {});
/// The same for a compiled network whose types may be unknown: random bytes, and indices within index_ranges().
[[nodiscard]] Result<std::vector<Tensor>> random_inputs(const npu::Artifact& artifact, std::uint32_t seed,
                                                        const StatedRanges& stated = {});
/// The same with known ranges.
[[nodiscard]] Result<std::vector<Tensor>> random_inputs(const npu::Artifact& artifact, std::uint32_t seed,
                                                        const IndexRanges& ranges);

/// The ranges of inputs of a compiled network, in its order, that are used as indices: of DMA jobs, found by the
/// dependence of the indices on the input, and of GATHER and EMBEDDING_LOOKUP on the CPU that read an input.
[[nodiscard]] IndexRanges index_ranges(const npu::Artifact& artifact);

/// An error with rule and operator unless the verdict is VALID.
[[nodiscard]] Result<void> require_valid(const tosa::Verdict& verdict, const std::string& file);

}  // namespace macaw::compare
