#pragma once
#include <macaw/npu/timed_simulator.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace macaw::npu::timed {

/// Two regions of a job that reach the same bytes, one of them to write: software gave them the same memory, and values
/// of one overwrite those of the other. In a sentence; nothing if there are none.
[[nodiscard]] std::optional<std::string> shared_bytes(std::span<const OperationTiming> operations,
                                                      const std::array<std::uint64_t, 8>& region_bases);

}  // namespace macaw::npu::timed
