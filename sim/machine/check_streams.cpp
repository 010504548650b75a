#include "sim/isa/disasm.hpp"
#include "sim/machine/located.hpp"
#include "sim/machine/machine.hpp"
#include "sim/machine/streams.hpp"

namespace macaw::npu {
namespace {

Result<void> check(const Machine& machine, const StreamOperation& operation, std::string_view& name) {
  if (const auto* block = std::get_if<BlockOperation>(&operation.action)) {
    name = command_name(*block);
    return machine.check(*block);
  }
  if (const auto* dma = std::get_if<DmaOperation>(&operation.action)) {
    name = "NPU_OP_DMA_START";
    return machine.check(*dma);
  }
  return {};
}

Result<void> check(const Machine& machine, const CommandStream& stream, const ParsedStream& parsed, std::size_t step,
                   const ExecutionSink& executed) {
  StreamReader reader(parsed);
  for (;;) {
    const auto operation = reader.next();
    if (!operation) return located(operation.error(), machine, stream, nullptr, {});
    std::string_view name;
    if (auto done = check(machine, **operation, name); !done)
      return located(done.error(), machine, stream, *operation, name);
    executed(step, **operation, false);
    if (std::holds_alternative<StreamStop>((*operation)->action)) return {};
  }
}

}  // namespace

Result<void> check_streams(const Artifact& artifact, const Accelerator& accelerator, const ParsedStreams& streams,
                           const ExecutionSink& executed) {
  MACAW_ASSIGN(Machine machine, Machine::create(artifact, accelerator));
  for (std::size_t i = 0; i < artifact.steps.size(); ++i) {
    const auto* stream = std::get_if<CommandStream>(&artifact.steps[i]);
    if (!stream) continue;
    MACAW_CHECK(machine.start(*stream));
    MACAW_CHECK(check(machine, *stream, *streams[i], i, executed));
  }
  return {};
}

}  // namespace macaw::npu
