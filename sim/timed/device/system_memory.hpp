#pragma once
#include <cstdint>
#include <span>

namespace macaw::npu::timed {

/// The bytes behind the bus addresses, which hold the values. Time and transactions pass through the TLM sockets of the
/// core.
class SystemMemory {
 public:
  virtual ~SystemMemory() = default;
  /// Bytes from `address` to the end of the memory that contains it; empty if there is none.
  [[nodiscard]] virtual std::span<std::uint8_t> from(std::uint64_t address) = 0;
  /// Called before the NPU reads or writes these bytes of a result of from().
  virtual void before_access(std::uint64_t /*address*/, std::uint64_t /*bytes*/) {}
  /// Called after it has changed them.
  virtual void after_write(std::uint64_t /*address*/, std::uint64_t /*bytes*/) {}
};

}  // namespace macaw::npu::timed
