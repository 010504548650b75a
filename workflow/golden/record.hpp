#pragma once
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "workflow/golden/manifest.hpp"

namespace macaw::golden {

/// Runs a network in timed mode on all its axes. The result maps "NAME | ACCELERATOR | SYSTEM | MEMORY MODE" to the
/// values that must not change: the CRC-32 of every output, the version of the timing model, cycles, the time of the
/// whole inference if the system describes its CPU, bytes moved and memory needed on both sides of the NPU, counters,
/// and for every operation its source operator where it is known, its cycles and the CRC-32 of its result. Keys are
/// sorted; nothing depends on time, machine or folder.
///
/// `params` overrides timing constants by the names of params.def.
///
/// Errors: those of load_artifact, read_tensor and npu::execute(); kInvalidFile if two runs have the same key.
[[nodiscard]] Result<nlohmann::json> record(const Network& network, const std::filesystem::path& folder,
                                            const run::Params& params = {});
/// Records all networks of a manifest; returns the first error.
[[nodiscard]] Result<nlohmann::json> record(const Manifest& manifest, const std::filesystem::path& folder,
                                            const run::Params& params = {});

/// The version of the timing model, which golden.json records.
[[nodiscard]] int timing_model();
/// An entry of golden.json's `reasons`: why a recording was made, by which version of Macaw and of its timing model.
[[nodiscard]] nlohmann::json recording(const std::string& reason, const std::string& macaw_version);
/// The reason of an entry, which older files have as a string without versions.
[[nodiscard]] nlohmann::json reason_of(const nlohmann::json& entry);

/// The runs of a network, or the error.
struct Outcome {
  const Network* network = nullptr;
  Result<nlohmann::json> runs;
  double seconds = 0;
};
/// record() of each network, in up to `jobs` processes at a time; `report` is called as they finish.
void record_each(const std::vector<Network>& networks, const std::filesystem::path& folder, unsigned jobs,
                 const std::function<void(const Outcome&)>& done);

}  // namespace macaw::golden
