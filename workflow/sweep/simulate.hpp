#pragma once
#include <functional>

#include <macaw/npu/accelerator.hpp>
#include <macaw/npu/simulator.hpp>
#include <nlohmann/json_fwd.hpp>

#include "workflow/sweep/plan.hpp"

namespace macaw::sweep {

/// Compiles a graph for an accelerator into a file, with a number of bytes of fast memory beside the arena's; the
/// bundled compiler.
using Compile = std::function<Result<void>(const std::filesystem::path& graph, const npu::Accelerator& accelerator,
                                           std::uint64_t fast_memory, const std::filesystem::path& output)>;

/// Reads a set of inputs for a compiled network.
using ReadInputs = std::function<Result<std::vector<npu::NamedTensor>>(const std::filesystem::path& set,
                                                                       const npu::Artifact& artifact)>;

/// Resources of the program that a run needs.
struct Tools {
  Compile compile;
  ReadInputs read_inputs;
};

/// Result of a run: "id" and its names, and either "error" or cycles, counters and layers (docs/FORMATS.md). The run
/// is in timing mode. Compiled graphs are kept in `artifacts`, by the hash of what they were made from.
[[nodiscard]] nlohmann::json simulate(const Run& run, const std::filesystem::path& artifacts, const Tools& tools);

/// The same for a run that came to nothing. `again`: for a reason that another attempt may not meet.
[[nodiscard]] nlohmann::json failed(const Run& run, const std::string& error, bool again);
inline constexpr const char* kAgain = "again";

}  // namespace macaw::sweep
