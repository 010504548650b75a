#pragma once
#include "sim/isa/command_parser.hpp"

// A command stream is parsed once; functional run, timed run and findings share its operations.
namespace macaw::npu {

/// The operations of a stream that do not depend on values: up to the first NPU_OP_STOP, the first branch or the first
/// command that cannot be read, and at most kMaxAhead. The words must outlive it.
class ParsedStream {
 public:
  /// A stream of only operations grows a hundredfold when it is parsed: longer streams are parsed as they are executed.
  static constexpr std::size_t kMaxAhead = std::size_t{1} << 18;

  ParsedStream(const Accelerator& accelerator, std::span<const std::uint32_t> words);

  [[nodiscard]] std::span<const StreamOperation> operations() const { return operations_; }
  /// Whether the commands after operations() depend on values.
  [[nodiscard]] bool branches() const {
    return !operations_.empty() && std::holds_alternative<Branch>(operations_.back().action);
  }

 private:
  friend class StreamReader;
  std::vector<StreamOperation> operations_;
  std::optional<Error> error_;  ///< error of the command after them
  CommandParser rest_;          ///< continues after them
};

/// The operations of a stream in the order in which they are executed.
class StreamReader {
 public:
  explicit StreamReader(const ParsedStream& stream) : stream_(&stream), rest_(stream.rest_) {}

  /// Returns the next operation, valid until the next call. Errors are those of CommandParser::next().
  [[nodiscard]] Result<const StreamOperation*> next();
  /// Takes the branch that was read last.
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
