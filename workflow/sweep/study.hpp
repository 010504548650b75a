#pragma once
#include <macaw/error.hpp>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "workflow/run/matrix.hpp"
#include "workflow/run/processes.hpp"

namespace macaw::sweep {

/// Networks of a study: compiled ones, or graphs that are compiled for each accelerator.
struct Network {
  std::filesystem::path file;  ///< relative to the study's folder; may hold * and ?
  /// Empty: the file is a compiled network. "macaw": a graph for the bundled compiler. Else a shell command that
  /// compiles {graph} for {accelerator} to the file {output}.
  std::string compile;
  /// Sets of inputs to run it on, as patterns; none: time alone, without values.
  std::vector<std::string> inputs;
};

/// The contents of study.toml: every network on every combination of the axes. Files of systems are relative to the
/// study.
struct Study : run::Axes {
  std::vector<Network> networks;
  run::ProcessLimits limits;  ///< of each run
};

/// Errors: kInvalidFile for TOML that cannot be parsed, unknown keys, wrong types, a graph without an accelerator.
[[nodiscard]] Result<Study> parse_study(std::string_view toml, const std::string& file);

}  // namespace macaw::sweep
