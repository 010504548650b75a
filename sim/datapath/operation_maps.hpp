#pragma once
#include "sim/datapath/core_state.hpp"
#include "sim/datapath/feature_map.hpp"
#include "sim/datapath/memory.hpp"

#include <optional>

namespace macaw::npu {

/// IFM or IFM2, laid over memory or over the chain buffer that an earlier operation filled. `what` names it in errors.
[[nodiscard]] Result<FeatureMapView> open_input(const FeatureMap& map, const MemoryMap& memory, std::string_view what);

/// Where an OFM goes.
struct OutputMap {
  std::optional<FeatureMapView> view;  ///< with the stored extents; absent for storage NONE
  ChainBuffer chained;                 ///< what the view lies over when the OFM is chained
};
/// A chained OFM is built aside, as the operation may still read the buffer it replaces: commit() puts it in place.
[[nodiscard]] Result<OutputMap> open_output(const BlockOperation& operation, const MemoryMap& memory);
void commit(const BlockOperation& operation, const MemoryMap& memory, OutputMap output);

}  // namespace macaw::npu
