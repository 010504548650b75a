#pragma once
#include <macaw/tflite/network.hpp>
#include <macaw/tosa/graph.hpp>

#include <string>
#include <vector>

namespace macaw::tflite {

/// A network without state and control flow as a TOSA 1.0 graph of integers, with the inputs and outputs of the main
/// subgraph in their order. Its results are those of run(), element by element; a tensor of uint8 is INT8 of the same
/// bytes at the ends of the graph. Operators on constants become constants.
///
/// Errors: those of run(), and kUnsupported for what has no exact form in TOSA; the place names operator, index and
/// version.
[[nodiscard]] Result<tosa::Graph> to_tosa(const Network& network);

/// Names of the operators that to_tosa() takes, at least in some of their types.
[[nodiscard]] std::vector<std::string> operators_in_tosa();

}  // namespace macaw::tflite
