#include "sim/timed/device/faulting_access.hpp"

#include "sim/blocks/rules.hpp"
#include "sim/datapath/dma.hpp"
#include "sim/datapath/execute.hpp"
#include "sim/datapath/layer_weights.hpp"
#include "sim/datapath/operation_maps.hpp"

namespace macaw::npu::timed {
namespace {

bool in_memory(const FeatureMap& map) { return map.storage == Storage::kTile2x2 || map.storage == Storage::kTile3x1; }

}  // namespace

std::optional<FaultingAccess> faulting_access(const BlockOperation& op, const Accelerator& accelerator,
                                              const MemoryMap& memory) {
  const bool elementwise = op.kind == OpKind::kElementwise;
  const Channel ifm = elementwise ? walk_rules(op, accelerator).elementwise_reads : Channel::kReadIfm;
  if (reads_ifm(op) && in_memory(op.ifm) && !open_input(op.ifm, memory, "IFM"))
    return FaultingAccess{ifm, op.ifm.region};
  if (reads_ifm2(op) && in_memory(op.ifm2) && !open_input(op.ifm2, memory, "IFM2"))
    return FaultingAccess{ifm, op.ifm2.region};
  if (in_memory(op.ofm) && !open_output(op, memory)) return FaultingAccess{Channel::kWriteOfm, op.ofm.region};
  if (op.has_scales() && !check_scale_streams(op, memory))
    return FaultingAccess{Channel::kReadScaleBias, op.scales[0].region};
  if (op.has_weights() && !check_weight_streams(op, accelerator, memory))
    return FaultingAccess{Channel::kReadWeights, op.weights[0].region};
  return std::nullopt;
}

FaultingAccess faulting_access(const DmaOperation& op, const MemoryMap& memory) {
  if (!destination(op, memory)) return {Channel::kWriteMem2Mem, op.dst_region};
  return {Channel::kReadMem2Mem, op.src_region};
}

}  // namespace macaw::npu::timed
