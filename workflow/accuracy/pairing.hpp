#pragma once
#include <macaw/tflite/network.hpp>

#include <optional>
#include <vector>

namespace macaw::accuracy {

/// A tensor's index, which the caller knows not to be that of an absent operand.
[[nodiscard]] constexpr std::size_t at(int index) { return static_cast<std::size_t>(index); }

/// Which tensor of the float network each tensor of the quantised network stands for; indices are those of the main
/// subgraphs.
struct Pairing {
  std::vector<std::optional<std::size_t>> tensor;  ///< by tensor of the quantised network
  std::vector<std::optional<std::size_t>> op;      ///< by operator of the quantised network: the same of the float one
  std::vector<std::size_t> only_float, only_quantised;  ///< computed tensors without a partner
};

/// By name where both have a computed tensor or input of that name and size; else by the longest common sequence of
/// operators of one kind and output shape. Results of QUANTIZE and DEQUANTIZE stand for what they convert.
[[nodiscard]] Pairing pair_networks(const tflite::Network& reference, const tflite::Network& quantised);

/// Whether an operator only changes how values are stored.
[[nodiscard]] bool is_conversion(const tflite::OperatorInfo& op);

}  // namespace macaw::accuracy
