#pragma once
#include <macaw/tflite/network.hpp>
#include <macaw/tosa/graph.hpp>

#include <string>
#include <vector>

namespace macaw::tflite {

/// Operators of floats whose sums and functions TOSA rounds in another order.
enum class Floats {
  kExact,    ///< are an error
  kRounded,  ///< become operators of the profile PRO-FP, whose results differ by rounding
};

/// A network without state and control flow as a TOSA 1.0 graph, with the inputs and outputs of the main subgraph in
/// their order. Its results are those of run(), element by element, but for `Floats::kRounded`; a tensor of uint8 is
/// INT8 of the same bytes at the ends of the graph. Filters of integers beside floats (hybrid networks) are
/// dequantised. Operators on constants become constants. Other tensors of the network keep their names.
///
/// Errors: those of run(), and kUnsupported for what has no exact form in TOSA; the place names operator, index and
/// version.
[[nodiscard]] Result<tosa::Graph> to_tosa(const Network& network, Floats floats = Floats::kExact);

/// A tensor that an operator without an exact form in TOSA writes.
struct InexactTensor {
  std::size_t tensor = 0;  ///< of the main subgraph
  tosa::ValueId value{};   ///< the input of the graph that takes its place
  std::string kind, op;    ///< "EXP", "operator 3 (EXP, version 1)"
  std::string reason;      ///< why it has none
};

/// The part of a network that has an exact form.
struct ExactPart {
  tosa::Graph graph;                   ///< its inputs are the network's, then those of `inexact`
  std::vector<InexactTensor> inexact;  ///< in execution order
};

/// Result of to_tosa() for operators with an exact form; outputs of the others become further inputs.
/// kUnsupported for tensors of a type that TOSA does not have.
[[nodiscard]] Result<ExactPart> exact_part(const Network& network);

/// Names of the operators that to_tosa() takes, at least in some of their types.
[[nodiscard]] std::vector<std::string> operators_in_tosa();

}  // namespace macaw::tflite
