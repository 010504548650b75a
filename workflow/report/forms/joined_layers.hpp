#pragma once
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "workflow/report/layers.hpp"

namespace macaw::report {

/// An operator's layers of a run: several where nothing names the operator and it was split into stripes.
struct JoinedLayer {
  std::string name;                 ///< of the first
  std::string kind;                 ///< of its operations, without NPU_OP_: "CONV"
  bool is_named = false;            ///< a source names it
  std::vector<std::size_t> layers;  ///< in Summary::layers, in the order of their first operations
  std::set<std::size_t> reads;      ///< joined layers that wrote what it reads, by number
  std::uint64_t exclusive = 0, macs = 0;
  std::uint64_t written = 0;       ///< bytes of its result over the bus; none through a chain buffer
  Bound bound;                     ///< of the layer with most exclusive cycles
  std::uint64_t bound_cycles = 0;  ///< the exclusive cycles of that one
};

/// Puts `more` to what `layer` is.
void join(JoinedLayer& layer, const JoinedLayer& more);

/// The layers of a run, stripes joined. Those belong together that read the same weights, through whatever copies, or,
/// without weights, do the same to other parts of what the same layers wrote, and write one part behind the other.
/// Layers that a source names are as the source has them.
[[nodiscard]] std::vector<JoinedLayer> join_layers(const npu::RunRecord& run, const Summary& summary);

}  // namespace macaw::report
