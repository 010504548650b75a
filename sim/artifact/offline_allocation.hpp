#pragma once
#include "base/tflite/model.hpp"

#include <cstdint>
#include <vector>

namespace macaw::npu {

/// Where the metadata OfflineMemoryAllocation of a .tflite has each tensor of a subgraph in the arena; -1: nowhere.
[[nodiscard]] Result<std::vector<std::int64_t>> arena_offsets(const tflite::Model& file, std::size_t subgraph);

}  // namespace macaw::npu
