#pragma once
#include <macaw/tosa/graph.hpp>

#include <optional>
#include <string>
#include <vector>

#include "workflow/compare/judge/graph_constants.hpp"
#include "workflow/prove/scaling.hpp"
#include "workflow/prove/window.hpp"

namespace macaw::prove {

/// A convolution of the graph with the tensors that its result is compared with.
struct Convolution {
  const tosa::Operator* op = nullptr;
  const compare::OperatorConstants* constants = nullptr;
  Shape input, output;
  std::int64_t input_zero_point = 0;
  bool depthwise = false;
  int input_bits = 8;  ///< of signed elements
};

/// Compares an operation with its part of a convolution: the input elements of every tap of every output (`read` are
/// the tags of its IFM), filters, zero point and biases. Empty: the same accumulators for every input; else why they
/// differ, or why equality is unknown.
[[nodiscard]] std::string compare_products(const Convolution& convolution, const Record& record, const Piece& piece,
                                           const std::optional<std::vector<ElementTag>>& read, const IsInput& is_input,
                                           const IsPadding& is_padding);

/// Ranges of the accumulators of a piece's channels over all inputs.
[[nodiscard]] std::vector<AccumulatorRange> accumulator_ranges(const Convolution& convolution, const Piece& piece);

}  // namespace macaw::prove
