#pragma once
#include "workflow/compare/alignment.hpp"
#include "workflow/compare/locate.hpp"

#include <set>
#include <vector>

namespace macaw::compare {

/// Tensors that are in no match, but that outputs of the network, what commands read or compute on the way, or another
/// tensor's elements show.
[[nodiscard]] std::vector<MatchedTensor> indirect_matches(const Reference& reference, const Alignment& alignment,
                                                          const Observed& observed, const std::set<TensorId>& listed);

}  // namespace macaw::compare
