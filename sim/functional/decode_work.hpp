#pragma once
#include "sim/datapath/weight_stream.hpp"
#include "sim/functional/streams.hpp"

#include <map>
#include <vector>

namespace macaw::npu {

/// Weight streams of operations, one per decoder, keyed by the number of the command.
using DecodeWork = std::map<std::size_t, std::vector<WeightStreamSize>>;

/// The work of the weight decoders for an artifact.
struct ArtifactDecodeWork {
  std::vector<DecodeWork> steps;  ///< by index of the step
  bool complete = true;           ///< false: operations after kMostDecodedBytes of streams and copies are missing
};

/// Computes the decode work, which does not depend on how the artifact is run: only DMA jobs are executed. Operations
/// whose streams cannot be decoded or that read no standard stream are left out. Errors: those of replay_constants().
[[nodiscard]] Result<ArtifactDecodeWork> decode_work(const Artifact& artifact, const Accelerator& accelerator,
                                                     const ParsedStreams& streams);

/// Limit on the bytes of streams and copies that decode_work() reads; bounds its time.
inline constexpr std::uint64_t kMostDecodedBytes = std::uint64_t{1} << 29;

}  // namespace macaw::npu
