#pragma once
#include "sim/isa/command_parser.hpp"

// A command stream is read once; functional run, timed run and findings take its operations from here.
namespace macaw::npu {

/// The operations of a stream as far as they do not depend on values: up to the first NPU_OP_STOP, the first branch or
/// the first command that cannot be read, and not more than kMaxAhead. The words must outlive it.
class ParsedStream {
 public:
  /// A stream of nothing but operations takes a hundred times its own size: what is longer is read as it is executed.
  static constexpr std::size_t kMaxAhead = std::size_t{1} << 18;

  ParsedStream(const Accelerator& accelerator, std::span<const std::uint32_t> words);

  [[nodiscard]] std::span<const StreamOperation> operations() const { return operations_; }
  /// Whether what follows operations() depends on values.
  [[nodiscard]] bool branches() const {
    return !operations_.empty() && std::holds_alternative<Branch>(operations_.back().action);
  }

 private:
  friend class StreamReader;
  std::vector<StreamOperation> operations_;
  std::optional<Error> error_;  ///< of the command after them
  CommandParser rest_;          ///< goes on after them
};

/// The operations of a stream in the order in which they are executed.
class StreamReader {
 public:
  explicit StreamReader(const ParsedStream& stream) : stream_(&stream), rest_(stream.rest_) {}

  /// The next operation; it is there until the next call. Errors are those of CommandParser::next().
  [[nodiscard]] Result<const StreamOperation*> next();
  /// The operation read last was a branch, and it is taken.
  [[nodiscard]] Result<void> branch(std::uint32_t target) { return rest_.branch(target); }
  /// After an error: byte offset up to which commands were read.
  [[nodiscard]] std::uint32_t offset() const { return rest_.offset(); }

 private:
  const ParsedStream* stream_;
  std::size_t read_ = 0;
  CommandParser rest_;
  std::optional<StreamOperation> last_;
};

}  // namespace macaw::npu
