#pragma once
#include <cstdint>
#include <vector>

#include <macaw/npu/run.hpp>

namespace macaw::report {

/// A layer reads what another one wrote.
struct Edge {
  std::size_t from = 0, to = 0;
  std::uint64_t bytes = 0;  ///< of the ranges that its operations read, gaps included; none through a chain buffer
  friend bool operator==(const Edge&, const Edge&) = default;
};

struct Edges {
  std::vector<Edge> all;       ///< by writer and then by reader
  std::size_t cut_layers = 0;  ///< that read from more layers than `all` has for them
};

/// At most 16 for each operation so far and 4,096 more, so that a run whose operations all read from all others stays
/// small. An operation that leaves gaps in its range (a part of a concatenation) takes nothing
/// from earlier writes there that were not read yet: a reader of the range reads both.
[[nodiscard]] Edges edges_of(const npu::RunRecord& run, const std::vector<std::size_t>& layer_of);

}  // namespace macaw::report
