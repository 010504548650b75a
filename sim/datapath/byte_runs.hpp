#pragma once
#include "sim/datapath/feature_map.hpp"

#include <vector>

namespace macaw::npu {

/// Returns the bytes that the elements of a map occupy, without the gaps between pixels, rows and planes and without
/// the padding lanes of the last brick. Contiguous runs are merged. For a map with very many runs, returns its whole
/// range, including gaps.
[[nodiscard]] Result<std::vector<ByteRange>> byte_runs(const FeatureMap& map, std::string_view what);

}  // namespace macaw::npu
