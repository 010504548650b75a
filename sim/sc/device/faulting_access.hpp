#pragma once
#include "sim/datapath/memory.hpp"
#include "sim/walk/transfer.hpp"

#include <macaw/npu/operation.hpp>

#include <optional>

namespace macaw::npu::sc {

/// Which access of an operation that cannot be computed left its region, for STATUS.
struct FaultingAccess {
  Channel channel = Channel::kReadCommands;
  int region = 0;
};
/// Nothing: all addresses are good.
[[nodiscard]] std::optional<FaultingAccess> faulting_access(const BlockOperation& op, const Accelerator& accelerator,
                                                            const MemoryMap& memory);
[[nodiscard]] FaultingAccess faulting_access(const DmaOperation& op, const MemoryMap& memory);

}  // namespace macaw::npu::sc
