#pragma once
#include <macaw/npu/operation.hpp>
#include "compiler/command_writer.hpp"

namespace macaw::npu {

/// Writes the registers of an operation, then the operation itself.
void emit_block_operation(CommandWriter& out, BlockOperation op, const Accelerator& accelerator);
void emit_dma_operation(CommandWriter& out, DmaOperation op);

}  // namespace macaw::npu
