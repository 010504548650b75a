#pragma once
#include "app/program_file.hpp"
#include "app/sequence/options.hpp"
#include "workflow/compare/comparison.hpp"

namespace macaw::app {

/// A compiled network and what it was compiled from.
struct ComparedSequence {
  const ProgramFile& source;
  const npu::Artifact& artifact;
  const npu::Accelerator& accelerator;
};

/// Runs both step after step, the compiled network on the inputs that the graph has, each with its own state, up to the
/// first step in which an output differs. Adds the comparison of that step, or of the last, by the operators and the
/// state before it. The state of a TensorFlow Lite network cannot be set for that: where it has variables, adds that of
/// the operators of step 0 and of the outputs of the step, with a note.
[[nodiscard]] Result<void> compare_sequence(compare::Comparison& comparison, const ComparedSequence& both,
                                            const SequenceOptions& options, const SequenceRun& run);

}  // namespace macaw::app
