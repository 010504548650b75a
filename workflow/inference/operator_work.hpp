#pragma once
#include <macaw/npu/artifact.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace macaw::inference {

/// The work of an operator of the CPU, in the terms of configs/cpu.
struct OperatorWork {
  std::string cls;   ///< class of its cost, "conv_1x1"; empty: `reason` says why it has none
  std::string type;  ///< "int8", "float32"
  double elements = 0, macs = 0;
  std::string reason;
};

[[nodiscard]] OperatorWork work_of(const npu::HostOperator& op);

/// Multiply-accumulates of an operator, from its shapes; 0 if it has none.
[[nodiscard]] std::uint64_t macs_of(const npu::HostOperator& op);

/// "int8 [1,56,56,64] -> int8 [1,28,28,64]"
[[nodiscard]] std::string shapes_of(const npu::HostOperator& op);

}  // namespace macaw::inference
