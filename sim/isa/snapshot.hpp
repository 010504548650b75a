#pragma once
#include <macaw/npu/operation.hpp>
#include "sim/isa/register_file.hpp"

// Decodes an operation command with the current register file. Reserved codes, empty extents and features
// that the configuration lacks are kHardwareFault errors that name the command and the register.
namespace macaw::npu {

/// `command`: NPU_OP_CONV, DEPTHWISE, POOL, ELEMENTWISE or RESIZE.
[[nodiscard]] Result<BlockOperation> block_operation(const RegisterFile& registers, const Accelerator& accelerator,
                                                     const Command& command);

/// `command`: NPU_OP_DMA_START.
[[nodiscard]] Result<DmaOperation> dma_operation(const RegisterFile& registers, const Accelerator& accelerator,
                                                 const Command& command);

}  // namespace macaw::npu
