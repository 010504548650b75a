#pragma once
#include <macaw/error.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace macaw::npu {

inline constexpr std::uint32_t kCop1 = 0x31504f43, kCop2 = 0x32504f43;  // "COP1", "COP2"

/// Actions of a driver for a command payload (u55_u65 1.2, 1.3; Vela ethosu/vela/driver_actions.py,
/// ethosu/regor/tflite/custom_operator_ethosu.hpp).
struct DriverPayload {
  struct Stream {
    std::vector<std::uint32_t> words;
    std::uint64_t offset = 0;  ///< byte offset of words[0] in the payload, a multiple of 16
  };

  std::vector<Stream> streams;
  std::optional<std::uint32_t> config_word, id_word;
  bool local_addressing = false;  ///< COP2: region 3 is the inputs, region 4 the outputs of one operator
};

/// Parses a COP1 or COP2 payload. `name` is used in messages. Malformed actions are kInvalidFile errors, actions that
/// current drivers reject kUnsupported.
[[nodiscard]] Result<DriverPayload> parse_driver_payload(std::span<const std::byte> bytes, const std::string& name);

}  // namespace macaw::npu
