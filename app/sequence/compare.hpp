#pragma once
#include "app/program_file.hpp"
#include "app/sequence/options.hpp"
#include "workflow/compare/comparison.hpp"

namespace macaw::app {

/// A compiled network and its source.
struct ComparedSequence {
  const ProgramFile& source;
  const npu::Artifact& artifact;
  const npu::Accelerator& accelerator;
};

/// Runs both step by step, the compiled network on the graph's inputs, each with its own state, up to the first step in
/// which an output differs. Adds the operator-level comparison of that step, or of the last one, with the state before
/// it. The state of a TensorFlow Lite network cannot be set: if it has variables, the operators of step 0 and the
/// outputs of the step are compared, with a note.
[[nodiscard]] Result<void> compare_sequence(compare::Comparison& comparison, const ComparedSequence& both,
                                            const SequenceOptions& options, const SequenceRun& run);

}  // namespace macaw::app
