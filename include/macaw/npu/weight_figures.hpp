#pragma once
#include <macaw/npu/artifact.hpp>
#include <macaw/npu/operation_details.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>

namespace macaw::npu {

/// Keyed by the index of the step and the number of the command.
using WeightFiguresOf = std::map<std::pair<std::size_t, std::uint32_t>, WeightFigures>;

/// Sizes, counts and checksums of the weight streams of an artifact. Only its DMA jobs are run, so that constants that
/// are copied before use are found at their destination. Operations are left out that read no weights, whose streams
/// cannot be decoded, that follow a branch, or that come after kMostWeights. Errors: those of Machine::create() and an
/// interruption.
[[nodiscard]] Result<WeightFiguresOf> weight_figures(const Artifact& artifact, const Accelerator& accelerator);

/// Limit of the work of weight_figures(): the sum of copied bytes and, for each operation, the larger of its number of
/// weights and its stream bytes.
inline constexpr std::uint64_t kMostWeights = std::uint64_t{1} << 28;

}  // namespace macaw::npu
