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
};

}  // namespace macaw::npu::timed
