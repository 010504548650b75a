#pragma once
#include <macaw/npu/debug_database.hpp>
#include "sim/functional/machine.hpp"
#include "sim/isa/command_parser.hpp"
#include "sim/isa/disasm.hpp"

#include <fmt/format.h>

namespace macaw::npu {

/// Returns the source operator of a command of one of the artifact's streams; empty if it is unknown.
[[nodiscard]] inline std::string source_of(const Artifact& artifact, const CommandStream& stream,
                                           std::uint32_t byte_offset) {
  for (std::size_t i = 0; i < artifact.steps.size(); ++i)
    if (std::get_if<CommandStream>(&artifact.steps[i]) == &stream) return source_operator(artifact, i, byte_offset);
  return {};
}

[[nodiscard]] inline std::string_view name_of(const StreamOperation& operation) {
  if (const auto* block = std::get_if<BlockOperation>(&operation.action)) return command_name(*block);
  if (const auto* wait = std::get_if<Wait>(&operation.action))
    return wait->queue == Wait::Queue::kKernel ? "NPU_OP_KERNEL_WAIT" : "NPU_OP_DMA_WAIT";
  if (std::holds_alternative<DmaOperation>(operation.action)) return "NPU_OP_DMA_START";
  if (std::holds_alternative<Branch>(operation.action)) return "NPU_OP_BRANCH";
  if (std::holds_alternative<Irq>(operation.action)) return "NPU_OP_IRQ";
  return std::holds_alternative<PmuMask>(operation.action) ? "NPU_OP_PMU_MASK" : "NPU_OP_STOP";
}

/// Adds the place to an error of a stream: file, stream, command. `at` null: the command could not be read.
[[nodiscard]] inline tl::unexpected<Error> located(Error error, const Machine& machine, const CommandStream& stream,
                                                   const StreamOperation* at) {
  error.place.file = machine.artifact().file;
  error.place.op = stream.name;
  if (!at) return tl::unexpected<Error>(std::move(error));
  error.place.command_index = at->index;
  error.place.byte_offset = at->offset;
  const auto source = source_of(machine.artifact(), stream, at->offset);
  error.message = fmt::format("{}: {}{}", name_of(*at), error.message, source.empty() ? "" : ", in " + source);
  return tl::unexpected<Error>(std::move(error));
}

}  // namespace macaw::npu
