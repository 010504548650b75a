#pragma once
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "workflow/golden/manifest.hpp"

namespace macaw::golden {

/// Runs every network of a manifest in timed mode. The result maps "NAME | ACCELERATOR | SYSTEM | MEMORY MODE" to what
/// may not change: the CRC-32 of every output, cycles, counters, and of every operation its cycles and the CRC-32 of
/// what it wrote. Keys are sorted; nothing depends on time, machine or folder.
///
/// `params` overrides timing constants by the names of params.def; `ran` is called after each run.
///
/// Errors: those of load_artifact, read_tensor and run_timed; kInvalidFile if two runs have the same key.
[[nodiscard]] Result<nlohmann::json> record(const Manifest& manifest, const std::filesystem::path& folder,
                                            const std::vector<std::pair<std::string, double>>& params = {},
                                            const std::function<void()>& ran = {});

}  // namespace macaw::golden
