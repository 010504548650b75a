#pragma once
#include "sim/functional/streams.hpp"
#include "sim/timed/stream_trace.hpp"

#include <deque>

namespace macaw::npu::timed {

/// Records a trace of each run of a command stream, in the order of execution, while the streams are executed or
/// checked.
class Recorder {
 public:
  /// Both must outlive the recorder. `max_work`: total of all streams; bounds their time.
  Recorder(const Artifact& artifact, const CoreConfig& config, std::int64_t max_work);

  [[nodiscard]] ExecutionSink sink() {
    return [this](std::size_t step, const StreamOperation& operation, bool jumped) {
      return add(step, operation, jumped);
    };
  }
  struct Run {
    Run(std::size_t index, const CommandStream& stream, const CoreConfig& config)
        : step(index), tracer(trace, config, stream.words.size()) {}
    std::size_t step;
    StreamTrace trace;
    Tracer tracer;
    bool has_ended = false;
  };
  /// All traces of streams that were run to their ends.
  [[nodiscard]] std::deque<Run>& runs() { return runs_; }

 private:
  [[nodiscard]] Result<void> add(std::size_t step, const StreamOperation& operation, bool jumped);

  const Artifact& artifact_;
  const CoreConfig& config_;
  std::deque<Run> runs_;  ///< the tracers point into them
  Work work_;
};

}  // namespace macaw::npu::timed
