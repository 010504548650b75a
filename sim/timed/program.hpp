#pragma once
#include "sim/isa/parsed_stream.hpp"
#include "sim/timed/command_processor.hpp"
#include "sim/timed/stream_trace.hpp"

#include <functional>

namespace macaw::npu::timed {

/// Creates an operation ready to be issued; `command` is its index in the stream. The operation must be walkable.
/// `weights`: its weight streams, one per decoder, if their contents are known.
[[nodiscard]] KernelRef make_kernel(const CoreConfig& config, const BlockOperation& op, std::size_t command,
                                    std::span<const WeightStreamSize> weights = {});
[[nodiscard]] DmaRef make_dma(const DmaOperation& op, std::size_t command);

/// The instructions of a stream as it was executed. Each is created on request, so that a long stream takes no more
/// memory than a short one; a stream that ended early gets a stop after its last operation.
class Replay : public Instructions {
 public:
  /// Called with every instruction that is created.
  using Sink = std::function<void(const Instruction&)>;

  /// The stream and the configuration must outlive it.
  Replay(const ParsedStream& stream, StreamTrace trace, const CoreConfig& config, Sink made = {});
  [[nodiscard]] const Instruction* next() override;

 private:
  void make(const npu::StreamOperation& step);
  void pass(const npu::StreamOperation& branch);

  StreamReader reader_;
  StreamTrace trace_;
  const CoreConfig& config_;
  Sink made_;
  Instruction instruction_;
  std::uint64_t read_ = 0, before_ = 0;   ///< operations; words of earlier segments
  std::size_t segment_ = 0, branch_ = 0;  ///< the next branch
};

/// Returns the program of a stream; `made` is called as in Replay.
[[nodiscard]] Program program_of(const ParsedStream& stream, StreamTrace trace, const CoreConfig& config,
                                 Replay::Sink made = {});

}  // namespace macaw::npu::timed
