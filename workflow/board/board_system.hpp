#pragma once
#include "workflow/board/memory_fit.hpp"

namespace macaw::board {

/// A system file with the fitted memories (docs/FORMATS.md, Systems), without limits where the runs do not show any.
/// `clock_hz` of the NPU: by default that of the accelerator's default system. `file`: source of the runs.
[[nodiscard]] Result<std::string> to_toml(const MemoryFit& fit, std::optional<double> clock_hz,
                                          const std::string& file);
/// The fitted fields with their intervals, and the runs that would determine the undetermined ones.
[[nodiscard]] std::string to_text(const MemoryFit& fit);
[[nodiscard]] std::string to_json(const MemoryFit& fit);

/// Mean and largest absolute relative error over the runs.
struct FitError {
  double mean = 0, worst = 0;
};
[[nodiscard]] FitError error_of(const MemoryFit& fit);

}  // namespace macaw::board
