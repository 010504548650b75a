#pragma once
#include "workflow/compare/reference.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace macaw::compare {

/// A multiplier and the right shift after it.
struct ScaleFactor {
  std::int64_t multiplier = 0;
  int shift = 0;
};

/// Constants of one operator of the graph, in the form in which an NPU operation holds them.
struct OperatorConstants {
  std::size_t op = 0;  ///< in Reference::operators
  std::array<int, 3> window{1, 1,
                            1};  ///< taps in y and x, input channels of a filter; [depth, height] are one axis of y
  /// By output channel, [y][x][input channel], zero point subtracted. Empty: the operator has no filters.
  std::vector<std::vector<std::int16_t>> filters;
  std::vector<std::int64_t> biases;  ///< by output channel; empty: none
  std::vector<ScaleFactor> scales;   ///< by output channel, of the accumulators; empty: unknown
  std::vector<std::byte> table;      ///< 256 bytes or words, or 512 pairs of base and slope; empty: none
};

/// Operators with constants that an NPU operation may hold unchanged.
[[nodiscard]] std::vector<OperatorConstants> graph_constants(const Reference& reference);

}  // namespace macaw::compare
