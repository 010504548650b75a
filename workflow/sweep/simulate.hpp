#pragma once
#include <functional>

#include <macaw/npu/accelerator.hpp>
#include <nlohmann/json_fwd.hpp>

#include "workflow/sweep/plan.hpp"

namespace macaw::sweep {

/// Compiles a graph for an accelerator into a file; the bundled compiler.
using Compile = std::function<Result<void>(const std::filesystem::path& graph, const npu::Accelerator& accelerator,
                                           const std::filesystem::path& output)>;

/// What a run came to: "id" and its names, and either "error" or cycles, counters and layers (docs/FORMATS.md). The run
/// is in timing mode. Compiled graphs are kept in `artifacts`, by the hash of what they were made from.
[[nodiscard]] nlohmann::json simulate(const Run& run, const std::filesystem::path& artifacts, const Compile& compile);

/// The same for a run that came to nothing.
[[nodiscard]] nlohmann::json failed(const Run& run, const std::string& error);

}  // namespace macaw::sweep
