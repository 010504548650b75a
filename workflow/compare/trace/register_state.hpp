#pragma once
#include <macaw/npu/artifact.hpp>
#include <macaw/npu/operation.hpp>

#include <string>
#include <vector>

namespace macaw::compare {

/// A register as it stands when an operation starts.
struct RegisterLine {
  std::string text;      ///< "NPU_SET_OFM_DEPTH_M1 depth_m1=15"
  bool changed = false;  ///< set since the operation before
};

/// Every register that the stream has set before a command, in the order of their opcodes; the command itself last.
/// Branches are not followed. Empty if the command cannot be read.
[[nodiscard]] std::vector<RegisterLine> register_state(const npu::Artifact& artifact,
                                                       const npu::Accelerator& accelerator, std::size_t step,
                                                       std::uint32_t command);

/// Decoded registers of an operation: its maps, kernel, scale and clamp, signs applied.
[[nodiscard]] std::vector<std::string> operation_text(const npu::BlockOperation& operation);

}  // namespace macaw::compare
