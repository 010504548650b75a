#pragma once
#include <macaw/tflite/network.hpp>

#include <optional>
#include <vector>

namespace macaw::accuracy {

/// The index of a tensor that is known to be present.
[[nodiscard]] constexpr std::size_t at(int index) { return static_cast<std::size_t>(index); }

/// The counterpart in the float network of each tensor of the quantised network; indices are those of the main
/// subgraphs.
struct Pairing {
  std::vector<std::optional<std::size_t>> tensor;  ///< by tensor of the quantised network
  std::vector<std::optional<std::size_t>>
      op;  ///< by operator of the quantised network: its counterpart in the float network
  std::vector<std::size_t> only_float, only_quantised;  ///< computed tensors without a counterpart
};

/// Pairs tensors by name and size where both networks have such a computed tensor or input; the others by the longest
/// common sequence of operators with equal kind and output shape. Results of QUANTIZE and DEQUANTIZE are paired through
/// their operand.
[[nodiscard]] Pairing pair_networks(const tflite::Network& reference, const tflite::Network& quantised);

/// Whether an operator only changes the representation of values.
[[nodiscard]] bool is_conversion(const tflite::OperatorInfo& op);

}  // namespace macaw::accuracy
