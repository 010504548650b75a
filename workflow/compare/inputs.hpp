#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include <macaw/npu/artifact.hpp>
#include <macaw/tosa/graph.hpp>
#include <macaw/tosa/verdict.hpp>

namespace macaw::compare {

/// Gives tensors the types and shapes of the graph's inputs: the bytes stay, any shape with the right element count and
/// width is taken. kMismatch if number, count or width is wrong.
[[nodiscard]] Result<std::vector<Tensor>> graph_inputs(const tosa::Graph& graph, const std::vector<Tensor>& tensors);

/// Random inputs over the whole legal range of each type (INT4 -8..7, INT48, BOOL 0 or 1); the same seed gives the same
/// bytes everywhere. kUnsupported for an input without a static shape.
[[nodiscard]] Result<std::vector<Tensor>> random_inputs(const tosa::Graph& graph, std::uint32_t seed);
/// The same for a compiled network whose types may be unknown: random bytes.
[[nodiscard]] Result<std::vector<Tensor>> random_inputs(const npu::Artifact& artifact, std::uint32_t seed);

/// An error that names rule and operator unless the verdict is VALID.
[[nodiscard]] Result<void> require_valid(const tosa::Verdict& verdict, const std::string& file);

}  // namespace macaw::compare
