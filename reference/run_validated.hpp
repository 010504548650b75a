#pragma once
#include <macaw/tosa/interpreter.hpp>

namespace macaw::tosa {

/// run() of a graph for which validate() gave `verdict`, with the same options but for the contents of variables.
[[nodiscard]] Result<RunResult> run_validated(const Graph& graph, Verdict verdict, std::vector<Tensor> inputs,
                                              const Options& options);

}  // namespace macaw::tosa
