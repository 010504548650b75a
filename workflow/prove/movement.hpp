#pragma once
#include <macaw/tosa/graph.hpp>

#include <map>
#include <optional>
#include <vector>

#include "workflow/compare/reference.hpp"

namespace macaw::prove {

using compare::Reference;
using compare::TensorId;

/// An element of a tensor.
struct Element {
  TensorId tensor = 0;
  std::size_t index = 0;
  friend bool operator==(const Element&, const Element&) = default;
};

/// Origin of the elements of a graph's tensors: traced through operators that only move elements (RESHAPE, IDENTITY,
/// CONCAT, PAD, SLICE, TILE, REVERSE, TRANSPOSE).
class Movement {
 public:
  Movement(const tosa::Graph& graph, const Reference& reference);

  [[nodiscard]] bool moves(std::size_t op) const;
  /// The original element, which is not a result of such an operator; it may be a constant.
  [[nodiscard]] Element origin(Element element);

 private:
  using Elements = std::vector<Element>;
  [[nodiscard]] Elements elements_of(std::size_t op) const;
  [[nodiscard]] std::vector<std::int64_t> constant(TensorId tensor) const;

  const tosa::Graph& graph_;
  const Reference& reference_;
  std::map<TensorId, std::size_t> mover_;  ///< of its result
  std::map<TensorId, Elements> origins_;   ///< cached results
};

}  // namespace macaw::prove
