#pragma once
#include "base/tflite/model.hpp"

#include <cstdint>
#include <vector>

namespace macaw::npu {

/// Returns the arena offset of each tensor of a subgraph from the metadata OfflineMemoryAllocation of a .tflite; -1:
/// none.
[[nodiscard]] Result<std::vector<std::int64_t>> arena_offsets(const tflite::Model& file, std::size_t subgraph);

}  // namespace macaw::npu
