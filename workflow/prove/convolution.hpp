#pragma once
#include <macaw/tosa/graph.hpp>

#include <optional>
#include <string>
#include <vector>

#include "workflow/compare/judge/graph_constants.hpp"
#include "workflow/prove/scaling.hpp"
#include "workflow/prove/window.hpp"

namespace macaw::prove {

/// A convolution of the graph with what its result is laid beside.
struct Convolution {
  const tosa::Operator* op = nullptr;
  const compare::OperatorConstants* constants = nullptr;
  Shape input, output;
  std::int64_t input_zero_point = 0;
  bool depthwise = false;
  int input_bits = 8;  ///< of signed elements
};

/// Compares an operation with the part of a convolution that it computes: which input every tap of every output
/// multiplies (`read` are the tags of its IFM), filters, zero point and biases. Empty: the same accumulators for every
/// input; else the reason why not, or why that is not known.
[[nodiscard]] std::string compare_products(const Convolution& convolution, const Record& record, const Piece& piece,
                                           const std::optional<std::vector<ElementTag>>& read, const IsInput& is_input,
                                           const IsPadding& is_padding);

/// Accumulators of the channels of a piece, for any input.
[[nodiscard]] std::vector<AccumulatorRange> accumulator_ranges(const Convolution& convolution, const Piece& piece);

}  // namespace macaw::prove
