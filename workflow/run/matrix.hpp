#pragma once
#include <string>
#include <utility>
#include <vector>

#include "workflow/run/toml_reader.hpp"

namespace macaw::run {

/// Values of constants, by their names.
using Params = std::vector<std::pair<std::string, double>>;

/// The configurations of a network: every combination of these lists.
struct Axes {
  std::vector<std::string> accelerators = {};  ///< empty: the one that a compiled network states
  std::vector<std::string> systems = {};       ///< names or .toml files; empty: the accelerator's default
  std::vector<std::string> memory_modes = {};  ///< empty: the system's default
  std::vector<std::pair<std::string, std::vector<double>>> params = {};
};

/// One combination; an empty text is the default.
struct Point {
  std::string accelerator, system, memory_mode;
  Params params;
};

/// Reads `accelerators`, `systems`, `memory_modes` and the table `params` of a TOML table, which may have other keys.
[[nodiscard]] Result<Axes> read_axes(const TomlReader& reader);

/// All combinations, the last axis first to move.
[[nodiscard]] std::vector<Point> points(const Axes& axes);

}  // namespace macaw::run
