#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "workflow/compare/match/candidates.hpp"

namespace macaw::compare {

/// An operation that writes no tensor of the graph and whose result is not completely read.
struct UnreadWrite {
  std::size_t record = 0;
  std::uint64_t bytes = 0;         ///< bytes that are never read
  std::optional<TensorId> tensor;  ///< tensors that it may have been meant to write
};

/// The input of the search.
struct WritesOfRun {
  const Reference& reference;
  const npu::Artifact& artifact;
  const std::vector<Record>& records;
  const Alignment& alignment;
  CandidateFinder& candidates;
};

/// Operations that are neither parts of a tensor nor constants and some of whose bytes are never read.
[[nodiscard]] std::vector<UnreadWrite> find_unread_writes(const WritesOfRun& run);

}  // namespace macaw::compare
