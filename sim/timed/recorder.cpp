#include "sim/timed/recorder.hpp"

namespace macaw::npu::timed {

Recorder::Recorder(const Artifact& artifact, const CoreConfig& config, std::int64_t max_work)
    : artifact_(artifact), config_(config), work_(max_work) {}

Result<void> Recorder::add(std::size_t step, const StreamOperation& operation, bool jumped) {
  if (runs_.empty() || runs_.back().has_ended)
    runs_.emplace_back(step, std::get<CommandStream>(artifact_.steps[step]), config_);
  Run& run = runs_.back();
  MACAW_CHECK(run.tracer.add(operation, work_));
  if (std::holds_alternative<Branch>(operation.action)) run.tracer.branch(operation, jumped);
  run.has_ended = std::holds_alternative<StreamStop>(operation.action);
  return {};
}

}  // namespace macaw::npu::timed
