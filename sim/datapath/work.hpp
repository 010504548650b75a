#pragma once
#include <cstdint>

#include "sim/isa/command_parser.hpp"

namespace macaw::npu {

/// Used and remaining work of a run, counted in multiply-accumulates. Items that are rare in real networks (commands,
/// operations, bytes that are moved, blocks of time) count for more multiply-accumulates than their time is worth, so
/// that a stream of nothing else, or an endless loop, ends in seconds.
class Work {
 public:
  static constexpr std::int64_t kCommand = std::int64_t{1} << 12;    ///< each time a command is parsed
  static constexpr std::int64_t kOperation = std::int64_t{1} << 19;  ///< issued: block operations, DMA, waits, jumps
  static constexpr std::int64_t kElement = 16;                       ///< produced, or decoded weight, or byte moved
  static constexpr std::int64_t kTimedStep = std::int64_t{1} << 12;  ///< IFM block or burst of the timed model

  explicit Work(std::int64_t limit) : limit_(limit) {}

  /// Errors of this and the following functions: kUnsupported if more work is added than remains.
  [[nodiscard]] Result<void> add(std::int64_t amount);
  /// Adds `count` items that count as `each`.
  [[nodiscard]] Result<void> add(std::uint64_t count, std::int64_t each);
  /// Adds the work of reading and issuing an operation of any kind.
  [[nodiscard]] Result<void> issue(const StreamOperation& operation);
  /// Adds the work of computing its values.
  [[nodiscard]] Result<void> execute(const StreamOperation& operation);

  [[nodiscard]] std::int64_t done() const { return done_; }
  [[nodiscard]] std::int64_t left() const { return limit_ - done_; }

 private:
  std::int64_t limit_, done_ = 0;
};

}  // namespace macaw::npu
