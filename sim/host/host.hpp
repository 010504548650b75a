#pragma once
#include <macaw/npu/artifact.hpp>
#include <macaw/tensor.hpp>

#include <optional>
#include <vector>

namespace macaw::npu {

/// One execution of a CPU operator. The kernel reads `inputs` (absent where the binding has no place), fills `outputs`,
/// which have the bindings' types and shapes and are zero, and may change the input that its row names as state.
struct HostCall {
  const HostOperator& op;
  std::vector<std::optional<Tensor>> inputs;
  std::vector<Tensor> outputs;
  std::int64_t max_work = 0;  ///< multiply-accumulates and bytes moved
  std::int64_t work = 0;

  /// Takes an amount of work off the limit, before it is done.
  [[nodiscard]] Result<void> account(std::int64_t amount);
};

/// Reads the operands from the memories of a network, runs the operator, writes outputs and state back; returns the
/// work done. Semantics are those of the integer reference kernels of TensorFlow Lite for Microcontrollers with its
/// double rounding (tensorflow/tflite-micro, tensorflow/lite/micro/kernels).
///
/// Errors name operator and index: kUnsupported for an operator, type or option that Macaw does not have and beyond
/// `max_work`; kInvalidFile for operands that do not fit the operator or have no memory. Those that have one lie inside it
/// (check_bindings).
[[nodiscard]] Result<std::int64_t> run_host_operator(const HostOperator& op, const std::vector<Memory>& memories,
                                                     std::vector<std::vector<std::uint8_t>>& contents,
                                                     std::int64_t max_work);

}  // namespace macaw::npu
