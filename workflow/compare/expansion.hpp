#pragma once
#include <macaw/tosa/graph.hpp>

#include <optional>
#include <string>
#include <vector>

#include "workflow/compare/reference.hpp"

namespace macaw::compare {

/// The operators of a network lowered to the smaller ones of a TOSA graph with the same results.
struct Expansion {
  tosa::Graph graph;
  std::vector<Tensor> inputs;  ///< of the graph
  /// Every tensor of the graph. ReferenceOperator::text is that of the network's operator.
  Reference reference;
  std::vector<std::optional<std::size_t>> operators;  ///< of the network, by operator of the graph
  std::vector<std::optional<TensorId>> tensors;       ///< of the network, by tensor of the graph
};

/// `reference`: of the network for `inputs`. kUnsupported if no operator has a TOSA form, kMismatch if the graph gives
/// different results. Part of macaw_compare_tflite.
[[nodiscard]] Result<Expansion> expand(const tflite::Network& network, const std::vector<Tensor>& inputs,
                                       const Reference& reference);

}  // namespace macaw::compare
