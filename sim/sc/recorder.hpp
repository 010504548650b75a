#pragma once
#include "sim/machine/streams.hpp"
#include "sim/sc/program.hpp"

#include <map>
#include <memory>
#include <vector>

namespace macaw::npu::sc {

/// Puts the program of each stream of an artifact together while the stream is executed or checked.
class Recorder {
 public:
  struct Recorded {
    Program program;
    Result<void> result;                                  ///< why there is no program
    std::map<std::uint32_t, std::uint32_t> byte_offsets;  ///< of commands, by their index
  };

  /// Both must outlive the recorder.
  Recorder(const Artifact& artifact, const CoreConfig& config);

  [[nodiscard]] ExecutionSink sink() {
    return [this](std::size_t step, const StreamOperation& operation, bool jumped) { add(step, operation, jumped); };
  }
  /// Of a stream that was run to its end.
  [[nodiscard]] Recorded& of(std::size_t step) { return streams_[step]->recorded; }

 private:
  struct Stream {
    Stream(const CommandStream& stream, const CoreConfig& config)
        : builder(recorded.program, config, stream.words.size()) {}
    Recorded recorded;
    ProgramBuilder builder;
  };
  void add(std::size_t step, const StreamOperation& operation, bool jumped);

  std::vector<std::unique_ptr<Stream>> streams_;  ///< by index of the step; the builders point into them
};

}  // namespace macaw::npu::sc
