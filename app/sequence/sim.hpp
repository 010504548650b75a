#pragma once
#include <macaw/npu/run.hpp>

#include <functional>
#include <string>

#include "app/sequence/options.hpp"

namespace macaw::app {

/// A sequence of a compiled network.
struct SimSequence {
  npu::RunMode mode = npu::RunMode::kTimed;
  npu::TimedOptions options = {};
  std::vector<std::string> events = {};
  std::string energy = {};  ///< a table; empty: no energy
  /// Called after each step; an error ends the run before outputs are written.
  std::function<Result<void>()> check = {};
  /// Completes the record of a timed run: names of layers, the CPU's part.
  std::function<Result<void>(npu::RunRecord&)> explain = {};
};

/// Runs the sequence and writes its outputs. The record is that of the last step that was run with time, with the
/// figures and the outputs of all steps.
[[nodiscard]] Result<npu::RunRecord> simulate_sequence(npu::Artifact artifact, const npu::Accelerator& accelerator,
                                                       SimSequence setup, const SequenceOptions& options,
                                                       const SequenceRun& run);

}  // namespace macaw::app
