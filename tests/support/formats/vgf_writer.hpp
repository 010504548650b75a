#pragma once
#include <macaw/tosa/graph.hpp>

#include <cstdint>

namespace macaw::tosa::test {

/// How a module's inputs and outputs are given: each as a tensor, or as an array of tensors for the inputs, taken whole
/// or by elements, and one for the outputs.
enum class Ports : std::uint8_t { kTensors, kArray, kElements };

/// A VGF file of one data graph: constants of few elements in the module, the others beside it. kUnsupported for what
/// TOSA.001000.1 cannot say: other operators, scalars, several blocks. The table names the module as often as
/// `module_count` says.
[[nodiscard]] Result<std::vector<std::byte>> write_vgf(const Graph& graph, std::size_t module_count = 1);

/// The module alone, every constant in it. For arrays the inputs are of one type, and so are the outputs.
[[nodiscard]] Result<std::vector<std::byte>> write_spirv(const Graph& graph, Ports ports = Ports::kTensors);

}  // namespace macaw::tosa::test
