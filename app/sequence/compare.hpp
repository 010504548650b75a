#pragma once
#include <functional>
#include <string>

#include "app/sequence/options.hpp"
#include "workflow/compare/comparison.hpp"

namespace macaw::app {

/// The reference of a sequence comparison: the file of the graph or network that was compiled.
struct ComparedSequence {
  std::filesystem::path graph;
  const npu::Artifact& artifact;
  const npu::Accelerator& accelerator;
};

/// Runs both step after step, the compiled network on the inputs that the graph has, each with its own state, up to the
/// first step in which an output differs. Adds the comparison of that step, or of the last, by the operators and the
/// state before it. kUnsupported where the state of a TensorFlow Lite network would have to be set for it.
[[nodiscard]] Result<void> compare_sequence(compare::Comparison& comparison, const ComparedSequence& both,
                                            const SequenceOptions& options, const SequenceRun& run);

}  // namespace macaw::app
