#pragma once
#include "sim/datapath/weight_stream.hpp"
#include "sim/functional/streams.hpp"

#include <map>
#include <vector>

namespace macaw::npu {

/// By number of the command: the weight streams of an operation, one of each decoder.
using DecodeWork = std::map<std::size_t, std::vector<WeightStreamSize>>;

/// The work of the weight decoders for an artifact.
struct ArtifactDecodeWork {
  std::vector<DecodeWork> steps;  ///< by index of the step
  bool complete = true;           ///< whether no operation came after kMostDecodedBytes of streams and copies
};

/// The same for every way of running the artifact: its DMA jobs are run and nothing else is computed. Operations are
/// left out whose streams cannot be decoded or that read no standard stream. Errors: those of replay_constants().
[[nodiscard]] Result<ArtifactDecodeWork> decode_work(const Artifact& artifact, const Accelerator& accelerator,
                                                     const ParsedStreams& streams);

/// Bytes of streams and copies that decode_work() reads, so that its time is bounded.
inline constexpr std::uint64_t kMostDecodedBytes = std::uint64_t{1} << 29;

}  // namespace macaw::npu
