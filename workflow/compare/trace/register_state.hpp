#pragma once
#include <macaw/npu/artifact.hpp>
#include <macaw/npu/operation.hpp>

#include <string>
#include <vector>

namespace macaw::compare {

/// The value of a register when an operation starts.
struct RegisterLine {
  std::string text;      ///< "NPU_SET_OFM_DEPTH_M1 depth_m1=15"
  bool changed = false;  ///< written after the preceding operation
};

/// Every register that the stream has written before a command, in the order of opcodes; the command itself is last.
/// Branches are not followed. Empty if the command cannot be decoded.
[[nodiscard]] std::vector<RegisterLine> register_state(const npu::Artifact& artifact,
                                                       const npu::Accelerator& accelerator, std::size_t step,
                                                       std::uint32_t command);

/// Decoded registers of an operation: feature maps, kernel, scale and clamp.
[[nodiscard]] std::vector<std::string> operation_text(const npu::BlockOperation& operation);

}  // namespace macaw::compare
