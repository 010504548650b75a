#pragma once
#include "reference/tosa/run_cache.hpp"

namespace macaw::tosa {

/// run() of a graph for which validate() gave `verdict` and `cache`, with the same options but for the contents of
/// variables and the number of threads.
[[nodiscard]] Result<RunResult> run_validated(const Graph& graph, Verdict verdict, RunCache cache,
                                              std::vector<Tensor> inputs, const Options& options);

}  // namespace macaw::tosa
