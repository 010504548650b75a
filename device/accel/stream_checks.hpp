#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <string>

// The checks that Linux makes of a command stream before it accepts it: drivers/accel/ethosu/ethosu_gem.c of
// torvalds/linux at 32a92f8c. The kernel checks the registers that an operation reads, not whether the NPU accepts
// them; its arithmetic is reproduced exactly, including the width of its variables.
namespace macaw::accel {

struct StreamFacts {
  std::array<std::uint64_t, 8> region_size{};  ///< bytes that the stream needs in each region; 0: unused
  std::array<bool, 8> writes{};
};

/// Returns an empty string, or why the kernel refuses the stream with EINVAL: the operation, its byte offset and the
/// missing register. A stream that would make the kernel access memory outside its buffers (a region above 7, a command
/// without its second word) is refused as well.
[[nodiscard]] std::string check_stream(std::span<const std::uint32_t> words, StreamFacts& facts);

}  // namespace macaw::accel
