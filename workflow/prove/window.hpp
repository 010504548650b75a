#pragma once
#include <macaw/npu/operation.hpp>
#include <macaw/tosa/graph.hpp>

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "workflow/prove/element_tags.hpp"
#include "workflow/prove/pieces.hpp"

namespace macaw::prove {

/// The taps that every output of a convolution or pool of the graph has.
struct Window {
  std::array<int, 2> taps{1, 1};
  std::vector<std::int64_t> stride, pad, dilation;
  Shape input, output;
  bool own_channel = false;  ///< an output channel reads only the input channel of the same number
};

/// Whether an element that an operation reads is element `element` of the input.
using IsInput = std::function<bool(const ElementTag& tag, std::size_t element)>;
/// Whether an element of the input is padding for the operation.
using IsPadding = std::function<bool(std::size_t element)>;

/// Compares the input elements of every tap of every output of an operation; `read` are the tags of its IFM. Empty:
/// equal; else the difference.
[[nodiscard]] std::string compare_windows(const Window& window, const npu::BlockOperation& operation,
                                          const Piece& piece, const std::vector<ElementTag>& read,
                                          const IsInput& is_input, const IsPadding& is_padding);

}  // namespace macaw::prove
