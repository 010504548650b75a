#pragma once
#include "sim/machine/streams.hpp"
#include "sim/sc/stream_trace.hpp"

#include <memory>
#include <vector>

namespace macaw::npu::sc {

/// Keeps the trace of each stream of an artifact while the streams are executed or checked.
class Recorder {
 public:
  /// Both must outlive the recorder. `max_work`: of all streams together, for their time.
  Recorder(const Artifact& artifact, const CoreConfig& config, std::int64_t max_work);

  [[nodiscard]] ExecutionSink sink() {
    return [this](std::size_t step, const StreamOperation& operation, bool jumped) {
      return add(step, operation, jumped);
    };
  }
  /// Of a stream that was run to its end.
  [[nodiscard]] StreamTrace& of(std::size_t step) { return streams_[step]->trace; }

 private:
  struct Stream {
    Stream(const CommandStream& stream, const CoreConfig& config) : tracer(trace, config, stream.words.size()) {}
    StreamTrace trace;
    Tracer tracer;
  };
  [[nodiscard]] Result<void> add(std::size_t step, const StreamOperation& operation, bool jumped);

  std::vector<std::unique_ptr<Stream>> streams_;  ///< by index of the step; the tracers point into them
  Work work_;
};

}  // namespace macaw::npu::sc
