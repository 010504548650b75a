#pragma once
#include "sim/blocks/transfer.hpp"
#include "sim/datapath/memory.hpp"

#include <macaw/npu/operation.hpp>

#include <optional>

namespace macaw::npu::timed {

/// The access of a faulting operation that left its region, for STATUS.
struct FaultingAccess {
  Channel channel = Channel::kReadCommands;
  int region = 0;
};
/// nullopt if all addresses are valid.
[[nodiscard]] std::optional<FaultingAccess> faulting_access(const BlockOperation& op, const Accelerator& accelerator,
                                                            const MemoryMap& memory);
[[nodiscard]] FaultingAccess faulting_access(const DmaOperation& op, const MemoryMap& memory);

}  // namespace macaw::npu::timed
