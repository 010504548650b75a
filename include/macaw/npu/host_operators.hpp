#pragma once
#include <macaw/npu/artifact.hpp>

#include <optional>
#include <vector>

namespace macaw::npu {

/// Results of one execution of a CPU operator.
struct HostResult {
  std::vector<Tensor> outputs;              ///< one for each output of the operator, of its type and shape
  std::vector<std::size_t> changed_inputs;  ///< variables with new contents
  std::int64_t work = 0;                    ///< multiply-accumulates and elements moved
};

/// Computes the operators that a compiled network leaves to the CPU. The simulator does not implement any; the caller
/// that runs a network supplies them.
class HostOperators {
 public:
  virtual ~HostOperators() = default;

  /// Runs one operator on its inputs, absent where the operator has none; state is changed in place. Errors:
  /// kUnsupported for an unknown operator, type or option and beyond `max_work`; kInvalidGraph for operands that do not
  /// fit the operator.
  [[nodiscard]] virtual Result<HostResult> run(const HostOperator& op, std::vector<std::optional<Tensor>>& inputs,
                                               std::int64_t max_work) const = 0;
};

}  // namespace macaw::npu
