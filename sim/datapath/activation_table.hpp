#pragma once
#include <macaw/npu/accelerator.hpp>

#include "sim/datapath/feature_map.hpp"

#include <optional>

namespace macaw::npu {

/// Returns the bytes of the NPU's own memory (shared RAM, or LUT RAM on U85) that hold the table of an operation's
/// activation; nullopt if it uses none. They may lie outside that memory.
[[nodiscard]] std::optional<ByteRange> activation_table(const BlockOperation& operation,
                                                        const Accelerator& accelerator);

}  // namespace macaw::npu
