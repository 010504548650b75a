#pragma once
#include "sim/timed/device/npu_device.hpp"

namespace macaw::npu::timed {

/// One range of memory at an address.
class FlatMemory : public SystemMemory {
 public:
  static constexpr std::uint64_t kBase = 0x20000000;
  std::vector<std::uint8_t> bytes;

  std::span<std::uint8_t> from(std::uint64_t address) override {
    if (address < kBase || address - kBase >= bytes.size()) return {};
    return std::span(bytes).subspan(address - kBase);
  }
};

}  // namespace macaw::npu::timed
