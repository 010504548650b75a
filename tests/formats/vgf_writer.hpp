#pragma once
#include <macaw/tosa/graph.hpp>

namespace macaw::tosa::test {

/// A VGF file of one data graph: constants of few elements in the module, the others beside it. kUnsupported for what
/// TOSA.001000.1 cannot say: other operators, scalars, several blocks.
[[nodiscard]] Result<std::vector<std::byte>> write_vgf(const Graph& graph);

/// The module alone, every constant in it.
[[nodiscard]] Result<std::vector<std::byte>> write_spirv(const Graph& graph);

}  // namespace macaw::tosa::test
