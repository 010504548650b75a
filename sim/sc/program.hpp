#pragma once
#include "sim/isa/command_parser.hpp"
#include "sim/sc/command_processor.hpp"

#include <functional>

namespace macaw::npu::sc {

/// Appends an operation; `words_end` as in Instruction. Fails as BlockWalk::create does.
[[nodiscard]] Result<void> append_kernel(Program& program, const CoreConfig& config, const BlockOperation& op,
                                         std::size_t command, std::uint64_t words_end);
void append_dma(Program& program, const DmaOperation& op, std::size_t command, std::uint64_t words_end);

/// Puts a program together from the operations of a stream in the order in which they are executed.
class ProgramBuilder {
 public:
  ProgramBuilder(Program& program, const CoreConfig& config, std::uint64_t stream_words);

  [[nodiscard]] Result<void> add(const npu::StreamOperation& step);
  /// `step`, which was the last one added, is a branch that was taken.
  void branch(const npu::StreamOperation& step);
  /// Words executed when the parser is at a byte offset of the stream.
  [[nodiscard]] std::uint64_t words_at(std::uint32_t offset) const {
    return before_ + offset / 4 - program_.segments.back().begin;
  }

 private:
  Program& program_;
  const CoreConfig& config_;
  std::uint64_t stream_words_;
  std::uint64_t before_ = 0;  ///< words of the segments before this one
};

/// What executes the operations of a stream and answers its branches.
struct StreamActions {
  std::function<Result<void>(const BlockOperation&)> block;
  std::function<Result<void>(const DmaOperation&)> dma;
  std::function<bool()> result_flag;
};

/// How a stream ended.
struct StreamEnd {
  enum class Kind : std::uint8_t { kStop, kParseError, kBusFault, kBranchFault } kind = Kind::kStop;
  std::uint16_t irq_mask = 0;  ///< of NPU_OP_STOP
  std::uint64_t words = 0;     ///< executed
  Result<void> result;         ///< the error, unless kStop
};

/// Executes a stream in program order, follows its branches, and puts the program of what was executed together; up to
/// the fault, if there is one.
[[nodiscard]] StreamEnd trace_stream(Program& program, std::span<const std::uint32_t> words, const CoreConfig& config,
                                     const StreamActions& actions, std::uint64_t max_operations);

}  // namespace macaw::npu::sc
