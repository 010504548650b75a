#pragma once
#include "sim/datapath/core_state.hpp"
#include "sim/datapath/feature_map.hpp"
#include "sim/datapath/memory.hpp"

#include <optional>

namespace macaw::npu {

/// Maps IFM or IFM2 onto memory or onto the chain buffer that an earlier operation filled. `what` names it in errors.
[[nodiscard]] Result<FeatureMapView> open_input(const FeatureMap& map, const MemoryMap& memory, std::string_view what);

/// Destination of an OFM.
struct OutputMap {
  std::optional<FeatureMapView> view;  ///< with the stored extents; absent for storage NONE
  ChainBuffer chained;                 ///< storage under the view if the OFM is chained
};
/// A chained OFM is built separately, since the operation may still read the buffer that it replaces; commit() installs
/// it.
[[nodiscard]] Result<OutputMap> open_output(const BlockOperation& operation, const MemoryMap& memory);
void commit(const BlockOperation& operation, const MemoryMap& memory, OutputMap output);

}  // namespace macaw::npu
