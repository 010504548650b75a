#pragma once
#include "workflow/compare/match.hpp"

#include <vector>

namespace macaw::compare {

/// Computed tensors that operators of the CPU read, with what they read, right or not, and the commands that wrote it,
/// if any. Operators are paired with those of the graph in their order, of kinds that the CPU has all operators of.
[[nodiscard]] std::vector<Match> match_host_reads(const Reference& reference, const npu::Artifact& artifact,
                                                  const std::vector<HostCall>& calls);

}  // namespace macaw::compare
