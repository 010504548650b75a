#include "sim/sc/recorder.hpp"

namespace macaw::npu::sc {

Recorder::Recorder(const Artifact& artifact, const CoreConfig& config, std::int64_t max_work)
    : streams_(artifact.steps.size()), work_(max_work) {
  for (std::size_t i = 0; i < streams_.size(); ++i)
    if (const auto* stream = std::get_if<CommandStream>(&artifact.steps[i]))
      streams_[i] = std::make_unique<Stream>(*stream, config);
}

void Recorder::add(std::size_t step, const StreamOperation& operation, bool jumped) {
  Stream& stream = *streams_[step];
  Recorded& recorded = stream.recorded;
  if (!recorded.result) return;
  recorded.result = stream.tracer.add(operation, work_);
  if (recorded.result && std::holds_alternative<Branch>(operation.action)) stream.tracer.branch(operation, jumped);
}

}  // namespace macaw::npu::sc
