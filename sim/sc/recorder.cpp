#include "sim/sc/recorder.hpp"

namespace macaw::npu::sc {

Recorder::Recorder(const Artifact& artifact, const CoreConfig& config, std::int64_t max_work)
    : streams_(artifact.steps.size()), work_(max_work) {
  for (std::size_t i = 0; i < streams_.size(); ++i)
    if (const auto* stream = std::get_if<CommandStream>(&artifact.steps[i]))
      streams_[i] = std::make_unique<Stream>(*stream, config);
}

Result<void> Recorder::add(std::size_t step, const StreamOperation& operation, bool jumped) {
  Tracer& tracer = streams_[step]->tracer;
  MACAW_CHECK(tracer.add(operation, work_));
  if (std::holds_alternative<Branch>(operation.action)) tracer.branch(operation, jumped);
  return {};
}

}  // namespace macaw::npu::sc
