#pragma once
#include <macaw/error.hpp>

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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

/// What one run may take.
struct Limits {
  double seconds = 600;
  std::uint64_t memory = std::uint64_t{4} << 30;  ///< bytes of address space
};

/// What study.toml says: every network on every combination of the axes. An empty axis is its default.
struct Study {
  std::vector<Network> networks;
  std::vector<std::string> accelerators;  ///< empty: the one that a compiled network states
  std::vector<std::string> systems;       ///< names, or files relative to the study; empty: the default
  std::vector<std::string> memory_modes;  ///< empty: the system's default
  std::vector<std::pair<std::string, std::vector<double>>> params;
  Limits limits;
};

/// Errors: kInvalidFile for TOML that cannot be parsed, unknown keys, wrong types, a graph without an accelerator.
[[nodiscard]] Result<Study> parse_study(std::string_view toml, const std::string& file);

}  // namespace macaw::sweep
