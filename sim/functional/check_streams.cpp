#include "sim/datapath/work.hpp"
#include "sim/functional/located.hpp"
#include "sim/functional/machine.hpp"
#include "sim/functional/streams.hpp"

namespace macaw::npu {
namespace {

Result<void> check(const Machine& machine, const StreamOperation& operation) {
  if (const auto* block = std::get_if<BlockOperation>(&operation.action)) return machine.check(*block);
  if (const auto* dma = std::get_if<DmaOperation>(&operation.action)) return machine.check(*dma);
  return {};
}

Result<void> check(const Machine& machine, const CommandStream& stream, const ParsedStream& parsed, std::size_t step,
                   Work& work, const ExecutionSink& executed) {
  StreamReader reader(parsed);
  for (;;) {
    const auto operation = reader.next();
    if (!operation) return located(operation.error(), machine, stream, nullptr);
    auto done = work.issue(**operation);
    if (done) done = check(machine, **operation);
    if (done) done = executed(step, **operation, false);
    if (!done) return located(done.error(), machine, stream, *operation);
    if (std::holds_alternative<StreamStop>((*operation)->action)) return {};
  }
}

}  // namespace

Result<void> check_streams(const Artifact& artifact, const Accelerator& accelerator, const ParsedStreams& streams,
                           std::int64_t max_work, const ExecutionSink& executed) {
  MACAW_ASSIGN(Machine machine, Machine::create(artifact, accelerator));
  Work work(max_work);
  for (std::size_t i = 0; i < artifact.steps.size(); ++i) {
    const auto* stream = std::get_if<CommandStream>(&artifact.steps[i]);
    if (!stream) continue;
    MACAW_CHECK(machine.start(*stream));
    MACAW_CHECK(check(machine, *stream, *streams[i], i, work, executed));
  }
  return {};
}

}  // namespace macaw::npu
