#pragma once
#include <macaw/npu/simulator.hpp>

#include "sim/functional/machine.hpp"
#include "sim/isa/parsed_stream.hpp"

#include <functional>
#include <optional>
#include <vector>

// Ways to process the command streams of an artifact, all of which share one parse.
namespace macaw::npu {

/// Indexed by step; operators of the CPU have none. The artifact must outlive them.
using ParsedStreams = std::vector<std::optional<ParsedStream>>;
[[nodiscard]] ParsedStreams parse_streams(const Artifact& artifact, const Accelerator& accelerator);

/// Called after each operation, in the order of execution, with the index of its stream among the steps. `jumped`: the
/// operation is a branch that was taken. An error ends the run at the operation.
using ExecutionSink = std::function<Result<void>(std::size_t step, const StreamOperation& operation, bool jumped)>;

/// Performs one run on a machine whose memories are in their initial state.
[[nodiscard]] Result<FunctionalResult> run_streams(Machine& machine, const ParsedStreams& streams,
                                                   std::span<const NamedTensor> inputs,
                                                   const FunctionalOptions& options, const ExecutionSink& executed);

/// run_functional() of <macaw/npu/simulator.hpp>.
[[nodiscard]] Result<FunctionalResult> run_streams(const Artifact& artifact, const Accelerator& accelerator,
                                                   const ParsedStreams& streams, std::span<const NamedTensor> inputs,
                                                   const FunctionalOptions& options, const ExecutionSink& executed);

/// inspect_streams() of <macaw/npu/simulator.hpp>.
[[nodiscard]] Result<void> inspect_streams(const Artifact& artifact, const Accelerator& accelerator,
                                           const ParsedStreams& streams, const FunctionalOptions& options,
                                           const ExecutionSink& executed);

/// Reports the faults of a run that follow from registers and constants: addresses outside their regions, features that
/// Macaw does not implement. Computes nothing; `max_work` limits the reading of the streams. kUnsupported: an indexed
/// DMA whose indices are computed. The streams must not have branches.
[[nodiscard]] Result<void> check_streams(const Artifact& artifact, const Accelerator& accelerator,
                                         const ParsedStreams& streams, std::int64_t max_work,
                                         const ExecutionSink& executed);

}  // namespace macaw::npu
