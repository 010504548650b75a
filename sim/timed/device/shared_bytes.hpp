#pragma once
#include <macaw/npu/timed_simulator.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace macaw::npu::timed {

/// Reports two regions of a job that access the same bytes, at least one of them writing: software placed them in the
/// same memory, and values of one overwrite those of the other. Returns a sentence; nullopt if there are none.
[[nodiscard]] std::optional<std::string> shared_bytes(std::span<const OperationTiming> operations,
                                                      const std::array<std::uint64_t, 8>& region_bases);

}  // namespace macaw::npu::timed
