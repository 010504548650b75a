#pragma once
#include <cstddef>
#include <vector>

#include "workflow/report/forms/joined_layers.hpp"

namespace macaw::report {

/// An operator in two runs, by number: several layers where a run has it in parts; none where it has no counterpart.
struct LayerPair {
  std::vector<std::size_t> then, now;
};

/// Layers that a source names are paired by the tensor in their names, or what of them has no number, in the order of
/// the networks. The others are paired where kind, MACs and bytes of the result are equal, in the order of the networks
/// and of what they read; then where MACs are equal and a result stays in the NPU; then several layers with one of as
/// many MACs and bytes between the same neighbours. In the order of `now`, what only `then` has after what was before
/// it there.
[[nodiscard]] std::vector<LayerPair> pair_layers(const std::vector<JoinedLayer>& then,
                                                 const std::vector<JoinedLayer>& now);

}  // namespace macaw::report
