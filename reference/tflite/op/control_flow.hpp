#pragma once
#include "reference/tflite/call.hpp"

namespace macaw::tflite {

/// The value of a condition, which is one bool.
[[nodiscard]] Result<bool> condition_of(const Tensor& tensor);
/// The inputs from `first` on.
[[nodiscard]] Result<std::vector<Tensor>> copies_of(const Call& call, std::size_t first);
/// Runs a subgraph; kUnsupported where there are none.
[[nodiscard]] Result<std::vector<Tensor>> run_subgraph(Call& call, std::int32_t index, std::vector<Tensor> inputs);
/// Makes tensors the operator's outputs; their number, types and shapes must be those.
[[nodiscard]] Result<void> give(Call& call, std::vector<Tensor> tensors);

}  // namespace macaw::tflite
