#include "sim/functional/decode_work.hpp"

#include "sim/datapath/layer_weights.hpp"
#include "sim/functional/constant_replay.hpp"
#include "sim/functional/machine.hpp"

#include <algorithm>

namespace macaw::npu {

Result<ArtifactDecodeWork> decode_work(const Artifact& artifact, const Accelerator& accelerator,
                                       const ParsedStreams& streams) {
  ArtifactDecodeWork work;
  work.steps.resize(artifact.steps.size());
  const auto read = [&](std::size_t step, std::uint32_t command, const BlockOperation& op, const Machine& machine,
                        WorkBudget& budget) {
    if (!op.has_weights() || op.fast_weights) return;
    std::uint64_t bytes = 0;
    for (const Stream& stream : op.weights) bytes += std::min(stream.length, kMostDecodedBytes);
    if (!budget.spend(bytes)) return;
    auto sizes = weight_stream_sizes(op, accelerator, machine.memory_map());
    if (!sizes.empty()) work.steps[step].insert_or_assign(command, std::move(sizes));
  };
  MACAW_ASSIGN(work.complete, replay_constants(artifact, accelerator, streams, WorkBudget(kMostDecodedBytes), read));
  return work;
}

}  // namespace macaw::npu
