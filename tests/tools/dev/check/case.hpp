#pragma once
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include <macaw/error.hpp>
#include <macaw/tensor.hpp>
#include <nlohmann/json_fwd.hpp>

#include "app/findings_option.hpp"

namespace macaw::app::check {

enum class Mode { kFunctional, kTimed };

/// How the command streams of a case are run.
struct RunOptions {
  Mode mode = Mode::kFunctional;
  FindingPolicy findings = FindingPolicy::kWarn;
};

/// Expected result of one corpus entry, and its check.
struct Case {
  std::string name;
  std::map<std::string, std::string> fields;  ///< what --filter KEY=VALUE looks at
  std::string known_deviation;                ///< the corpus's own reason to differ from the oracle
  std::function<Result<void>()> run;          ///< an error says what differs; called on any thread
  std::string apart = {};                     ///< why it is counted apart: the rule is Macaw's, not the corpus's
  std::string verdict = {};                   ///< the verdict that a TOSA graph must have, by which cases are counted
};

using Cases = std::vector<Case>;
using Loader = Result<Cases> (*)(const std::filesystem::path& folder, const RunOptions& options);

// One loader per kind of corpus folder.
Result<Cases> load_tosa(const std::filesystem::path& folder, const RunOptions& options);  ///< MANIFEST.json
Result<Cases> load_networks(const std::filesystem::path& folder,
                            const RunOptions& options);  ///< INDEX.json with "cases"
Result<Cases> load_thirdparty(const std::filesystem::path& folder,
                              const RunOptions& options);  ///< INDEX.json with "artifact"
Result<Cases> load_weights(const std::filesystem::path& folder, const RunOptions& options);  ///< meta.json
Result<Cases> load_measured(const std::filesystem::path& file,
                            const RunOptions& options);  ///< a measurement file, docs/FORMATS.md
Result<Cases> load_bundled(const std::filesystem::path& file,
                           const RunOptions& options);  ///< an ExecuTorch program with tests
Result<Cases> load_unlabelled(const std::filesystem::path& folder,
                              const RunOptions& options);  ///< INDEX.json without answers, or artifacts/
Result<Cases> load_descriptions(const std::filesystem::path& folder,
                                const RunOptions& options);  ///< folders with desc.json
Result<Cases> load_lab(const std::filesystem::path& folder,
                       const RunOptions& options);  ///< folders of networks, with answers or originals

/// The loader for a folder, by what lies in it, or for a measurement file or a bundled program.
[[nodiscard]] Result<Loader> find_loader(const std::filesystem::path& folder);

[[nodiscard]] Result<nlohmann::json> read_json(const std::filesystem::path& file);

/// Equal bytes; shapes may differ as long as element count and width agree. `what` names the output in the error.
[[nodiscard]] Result<void> compare_bytes(const Tensor& actual, const std::filesystem::path& expected,
                                         const std::string& what);

/// The strings, numbers and lists (joined by commas) of a JSON object, for --filter.
[[nodiscard]] std::map<std::string, std::string> string_fields(const nlohmann::json& object);

}  // namespace macaw::app::check
