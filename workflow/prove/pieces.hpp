#pragma once
#include <map>
#include <vector>

#include "workflow/compare/match/match.hpp"

namespace macaw::prove {

using compare::Record;
using compare::Reference;
using compare::TensorId;

/// The part of a tensor that one operation writes: consecutive elements, or a slice of its channels.
struct Piece {
  TensorId tensor = 0;
  std::size_t first = 0;     ///< the tensor's element that is the operation's first
  std::size_t channels = 1;  ///< of the operation
  std::size_t depth = 1;     ///< distance from one pixel of the tensor to the next, in channels

  /// The tensor's element at channel `channel` of pixel `pixel` of the operation.
  [[nodiscard]] std::size_t element(std::size_t pixel, std::size_t channel) const {
    return first + pixel * depth + channel;
  }
};

/// By operation: the tensors that it writes; several if they have equal contents in this run.
using Pieces = std::multimap<std::size_t, Piece>;
[[nodiscard]] Pieces pieces_of(const Reference& reference, const std::vector<Record>& records);

}  // namespace macaw::prove
