#pragma once
#include <cstdint>
#include <span>

namespace macaw::npu::timed {

/// The bytes behind the bus addresses, where values live. Time and transactions pass the TLM sockets of the core.
class SystemMemory {
 public:
  virtual ~SystemMemory() = default;
  /// From `address` to the end of the memory that it lies in; empty where there is none.
  [[nodiscard]] virtual std::span<std::uint8_t> from(std::uint64_t address) = 0;
  /// The NPU is about to read or write these bytes of what from() gave.
  virtual void before_access(std::uint64_t /*address*/, std::uint64_t /*bytes*/) {}
  /// It has changed them.
  virtual void after_write(std::uint64_t /*address*/, std::uint64_t /*bytes*/) {}
};

}  // namespace macaw::npu::timed
