#pragma once
#include <cstdint>

#include "sim/isa/command_parser.hpp"

namespace macaw::npu {

/// Used and remaining work of a run, counted in multiply-accumulates. Items that are rare in real networks (commands,
/// operations, bytes that are moved, blocks of time) count as more multiply-accumulates than take their time, so that a stream
/// of nothing else, or one that jumps back for ever, ends in seconds.
class Work {
 public:
  static constexpr std::int64_t kCommand = std::int64_t{1} << 12;    ///< parsed, each time
  static constexpr std::int64_t kOperation = std::int64_t{1} << 19;  ///< issued: block operations, DMA, waits, jumps
  static constexpr std::int64_t kElement = 16;                       ///< turned out, or decoded weight, or byte moved
  static constexpr std::int64_t kTimedStep = std::int64_t{1} << 12;  ///< IFM block or burst of the timed model

  explicit Work(std::int64_t limit) : limit_(limit) {}

  /// kUnsupported, here and below: it is more than may still be done.
  [[nodiscard]] Result<void> add(std::int64_t amount);
  /// `count` of something that counts as `each`.
  [[nodiscard]] Result<void> add(std::uint64_t count, std::int64_t each);
  /// The operation was read and is to be issued, whatever it is.
  [[nodiscard]] Result<void> issue(const StreamOperation& operation);
  /// Its values are to be computed.
  [[nodiscard]] Result<void> execute(const StreamOperation& operation);

  [[nodiscard]] std::int64_t done() const { return done_; }
  [[nodiscard]] std::int64_t left() const { return limit_ - done_; }

 private:
  std::int64_t limit_, done_ = 0;
};

}  // namespace macaw::npu
