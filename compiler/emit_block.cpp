#include "compiler/emit_block.hpp"
#include "compiler/generation.hpp"

namespace macaw::npu {
namespace {

std::string_view name_of(OpKind kind) {
  switch (kind) {
    case OpKind::kConv: return "CONV";
    case OpKind::kDepthwise: return "DEPTHWISE";
    case OpKind::kPool: return "POOL";
    case OpKind::kElementwise: return "ELEMENTWISE";
    case OpKind::kResize: return "RESIZE";
  }
  return {};
}

}  // namespace

void emit_block_operation(CommandWriter& out, BlockOperation op, const Accelerator& accelerator) {
  RegisterWriter writer(out, accelerator.family);
  compiler::generation(op.family).write(writer, op, accelerator);
  writer.op(name_of(op.kind));
}

void emit_dma_operation(CommandWriter& out, DmaOperation op) {
  RegisterWriter writer(out, op.family);
  compiler::generation(op.family).write(writer, op);
  writer.op("DMA_START");
}

}  // namespace macaw::npu
