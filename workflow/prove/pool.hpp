#pragma once
#include <macaw/tosa/graph.hpp>

#include <string>

#include "workflow/prove/subgraph.hpp"
#include "workflow/prove/window.hpp"

namespace macaw::prove {

/// A pool of the graph and the operators after it in `chain`, which starts at its result.
struct Pool {
  const tosa::Operator* op = nullptr;
  Window window;
  Chain chain;
};

/// Compares an operation with its part of a pool: the elements of every window, and the result for every maximum, or
/// for every sum if no window reaches into padding. Empty: equal for every input; else why they differ, or why equality
/// is unknown.
[[nodiscard]] std::string compare_pool(const tosa::Graph& graph, const Pool& pool, const Record& record,
                                       const npu::Accelerator& accelerator, const Piece& piece,
                                       const std::vector<ElementTag>& read, const IsInput& is_input);

}  // namespace macaw::prove
