#pragma once
#include <macaw/npu/accelerator.hpp>

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace macaw::npu {

/// A memory-mapped register of a family, by the driver's name (hal_ethos_u, src/ethosu*_interface.h).
struct RegisterInfo {
  std::string_view name;
  unsigned offset = 0;      ///< bytes from the start of the register space
  unsigned words = 1;       ///< 32-bit words of one register
  unsigned count = 1;       ///< number of registers of an array, one after the other
  std::uint32_t reset = 0;  ///< of the first word
};

/// Sorted by offset.
[[nodiscard]] std::vector<RegisterInfo> registers(Family family);
/// nullopt if the family has no such register.
[[nodiscard]] std::optional<unsigned> register_offset(Family family, std::string_view name);

}  // namespace macaw::npu
