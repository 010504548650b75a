#pragma once
#include <macaw/npu/run.hpp>

#include <string>

namespace macaw::report {

/// Lines about the steps of a sequence: cycles, steps per second, operators of the CPU, energy, score.
[[nodiscard]] std::string sequence_text(const npu::Sequence& sequence);

}  // namespace macaw::report
