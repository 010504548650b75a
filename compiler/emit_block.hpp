#pragma once
#include "compiler/command_writer.hpp"
#include "sim/isa/operation.hpp"

namespace macaw::npu {

/// Writes the registers of an operation and the operation itself.
void emit_block_operation(CommandWriter& out, const BlockOperation& op, const Accelerator& accelerator);

}  // namespace macaw::npu
