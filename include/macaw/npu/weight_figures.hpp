#pragma once
#include <macaw/npu/artifact.hpp>
#include <macaw/npu/operation_details.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>

namespace macaw::npu {

/// By index of the step and number of the command.
using WeightFiguresOf = std::map<std::pair<std::size_t, std::uint32_t>, WeightFigures>;

/// Figures of the weight streams of an artifact, with its DMA jobs made and nothing else computed: constants that are
/// copied before they are used are found where they are copied to. Operations are left out that read no weights, whose
/// streams cannot be decoded, that stand behind a branch, or that come after kMostWeights weights or copied bytes.
/// Errors: those of Machine::create() and an interruption.
[[nodiscard]] Result<WeightFiguresOf> weight_figures(const Artifact& artifact, const Accelerator& accelerator);

/// Weights and copied bytes that weight_figures() goes through, so that its time is bounded.
inline constexpr std::uint64_t kMostWeights = std::uint64_t{1} << 28;

}  // namespace macaw::npu
