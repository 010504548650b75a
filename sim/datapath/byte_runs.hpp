#pragma once
#include "sim/datapath/feature_map.hpp"

#include <vector>

namespace macaw::npu {

/// The bytes that the elements of a map fill: without the gaps between pixels, rows and planes and the lanes that pad
/// the last brick. Runs that touch are one. A map of very many runs is its range, a gap or not.
[[nodiscard]] Result<std::vector<ByteRange>> byte_runs(const FeatureMap& map, std::string_view what);

}  // namespace macaw::npu
