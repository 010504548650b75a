#pragma once
#include <macaw/npu/simulator.hpp>

#include "sim/functional/machine.hpp"
#include "sim/isa/parsed_stream.hpp"

#include <functional>
#include <optional>
#include <vector>

// The ways to go through the command streams of an artifact. They share one reading of them.
namespace macaw::npu {

/// By index of the step; operators of the CPU have none. The artifact must outlive them.
using ParsedStreams = std::vector<std::optional<ParsedStream>>;
[[nodiscard]] ParsedStreams parse_streams(const Artifact& artifact, const Accelerator& accelerator);

/// Called after each operation, in the order of execution, with the index of its stream among the steps. `jumped`: it
/// is a branch that was taken. An error ends the run, at the operation.
using ExecutionSink = std::function<Result<void>(std::size_t step, const StreamOperation& operation, bool jumped)>;

/// One run on a machine whose memories are as they are to start.
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

/// Faults of a run, as far as that follows from registers and constants: addresses outside their regions,
/// what Macaw does not do. Computes nothing; `max_work` is for reading the streams. kUnsupported: an indexed DMA whose
/// indices are computed. The streams have no branches.
[[nodiscard]] Result<void> check_streams(const Artifact& artifact, const Accelerator& accelerator,
                                         const ParsedStreams& streams, std::int64_t max_work,
                                         const ExecutionSink& executed);

}  // namespace macaw::npu
