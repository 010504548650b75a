#pragma once
#include <cstdint>
#include <vector>

#include "workflow/trace/saved_run.hpp"

namespace macaw::report {

/// A layer reads what another one wrote.
struct Edge {
  std::size_t from = 0, to = 0;
  std::uint64_t bytes = 0;  ///< of the ranges that its operations read, gaps included; none through a chain buffer
  friend bool operator==(const Edge&, const Edge&) = default;
};

/// By writer and then by reader. An operation that leaves gaps in its range (a part of a concatenation) takes nothing
/// from what others wrote there and nobody has read yet: a reader of the range reads both.
[[nodiscard]] std::vector<Edge> edges_of(const trace::SavedRun& run, const std::vector<std::size_t>& layer_of);

}  // namespace macaw::report
