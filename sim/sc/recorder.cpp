#include "sim/sc/recorder.hpp"

namespace macaw::npu::sc {

Recorder::Recorder(const Artifact& artifact, const CoreConfig& config) : streams_(artifact.steps.size()) {
  for (std::size_t i = 0; i < streams_.size(); ++i)
    if (const auto* stream = std::get_if<CommandStream>(&artifact.steps[i]))
      streams_[i] = std::make_unique<Stream>(*stream, config);
}

void Recorder::add(std::size_t step, const StreamOperation& operation, bool jumped) {
  Stream& stream = *streams_[step];
  Recorded& recorded = stream.recorded;
  if (!recorded.result) return;
  recorded.result = stream.builder.add(operation);
  if (!recorded.result) return;
  recorded.byte_offsets.emplace(operation.index, operation.offset);
  if (jumped) stream.builder.branch(operation);
}

}  // namespace macaw::npu::sc
