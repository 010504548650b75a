#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <string>

// The checks that Linux makes of a command stream before it accepts it: drivers/accel/ethosu/ethosu_gem.c of
// torvalds/linux at 32a92f8c. The kernel looks at the registers that an operation reads, not at whether the NPU accepts
// them; what it computes is reproduced as it is, narrow registers included.
namespace macaw::accel {

struct StreamFacts {
  std::array<std::uint64_t, 8> region_size{};  ///< bytes that the stream needs in each region; 0: it does not use it
  std::array<bool, 8> writes{};
};

/// Empty, or why the kernel refuses the stream with EINVAL: the operation, its byte and the register that is missing.
/// Where the kernel itself would leave its buffers (a region above 7, a command without its second word) the stream is
/// refused as well.
[[nodiscard]] std::string check_stream(std::span<const std::uint32_t> words, StreamFacts& facts);

}  // namespace macaw::accel
