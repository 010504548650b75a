#pragma once
#include <macaw/npu/run.hpp>

#include <optional>
#include <vector>

#include "workflow/sequence/loop.hpp"

namespace macaw::sequence {

/// Minimum, median, maximum and trend; absent for no steps.
[[nodiscard]] std::optional<npu::SequenceCycles> cycles_over_steps(std::vector<std::uint64_t> steps);

/// The figures of a sequence that ran, for Sequence::energy apart. `record`: of one of its steps, with the prediction
/// of the whole inference if there is one, whose part of the NPU is replaced by the mean of the steps.
[[nodiscard]] npu::Sequence figures(const Summary& summary, const npu::RunRecord& record,
                                    const std::vector<std::uint64_t>& cycles);

}  // namespace macaw::sequence
