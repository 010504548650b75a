#pragma once

namespace macaw::npu {

/// The version of the timing model. Every change of the predicted cycles of a run increments it and gets a line "Timing
/// model N" in CHANGELOG.md; tests/structure/check_timing_model.py compares it with the bundled goldens.
inline constexpr int kTimingModelVersion = 2;

}  // namespace macaw::npu
