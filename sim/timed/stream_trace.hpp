#pragma once
#include "sim/datapath/work.hpp"
#include "sim/functional/decode_work.hpp"
#include "sim/isa/parsed_stream.hpp"
#include "sim/timed/command_processor.hpp"

#include <functional>

namespace macaw::npu::timed {

/// The executed part of a stream: enough to repeat its operations.
struct StreamTrace {
  std::uint64_t operations = 0;            ///< up to the stop or the fault
  std::vector<bool> jumps;                 ///< of each branch: whether it was taken
  std::uint64_t words = 0;                 ///< as Program::words
  std::vector<Program::Segment> segments;  ///< as Program::segments
  std::uint64_t ended = 0;                 ///< words executed up to a fault
  DecodeWork decode_work;                  ///< of the operations whose weights are known
};

/// Records a trace while a stream is executed.
class Tracer {
 public:
  Tracer(StreamTrace& trace, const CoreConfig& config, std::uint64_t stream_words);

  /// Adds an operation, whose blocks and bursts count as `work`. Fails like BlockWalk::create.
  [[nodiscard]] Result<void> add(const npu::StreamOperation& step, Work& work);
  /// Records the outcome of `branch`, which was added last.
  void branch(const npu::StreamOperation& branch, bool jumped);
  /// Ends the stream with a fault at a byte offset. `taken_back`: the operation that was added last does not count.
  void fault(std::uint32_t offset, bool taken_back = false);

 private:
  StreamTrace& trace_;
  const CoreConfig& config_;
  std::uint64_t stream_words_;
  std::uint64_t before_ = 0;  ///< words of earlier segments
};

/// Interface that executes the operations of a stream and decides its branches.
struct StreamActions {
  std::function<Result<void>(const BlockOperation&)> block;
  std::function<Result<void>(const DmaOperation&)> dma;
  std::function<bool()> result_flag;
  /// Returns the weight streams in their state before an operation; may be empty.
  std::function<std::vector<WeightStreamSize>(const BlockOperation&)> weights = {};
};

/// How a stream ended.
struct StreamEnd {
  enum class Kind : std::uint8_t { kStop, kParseError, kBusFault, kBranchFault } kind = Kind::kStop;
  std::uint16_t irq_mask = 0;  ///< of NPU_OP_STOP
  Result<void> result;         ///< the error, unless kStop
};

/// Executes a stream of `words` words in program order, follows its branches, and records the trace of the executed
/// part, up to the fault if there is one. Exceeding the work limit is a parse error.
[[nodiscard]] StreamEnd trace_stream(StreamTrace& trace, const ParsedStream& stream, std::uint64_t words,
                                     const CoreConfig& config, const StreamActions& actions, Work work);

}  // namespace macaw::npu::timed
