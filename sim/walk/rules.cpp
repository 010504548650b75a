#include "sim/walk/rules.hpp"

#include "sim/walk/mac_work.hpp"

namespace macaw::npu {
namespace {

constexpr int kChunk = 16;  // elements of an NHWC chunk, per core

/// U55 and U65 (timing 2).
WalkRules rules_u65(int cores) {
  WalkRules rules;
  rules.retained = 2;  // the halves of the IFM buffer
  rules.writes = {kChunk * cores};
  rules.weight_streams = rules.scale_streams = cores;
  return rules;
}

/// U85 (timing 6).
WalkRules rules_u85(const BlockOperation& op, const Accelerator& accelerator) {
  WalkRules rules;
  rules.cut = SubKernels::Cut::kColumnsOnly;
  rules.serpentine = true;
  rules.retain_by_position = true;
  rules.refresh = true;
  rules.retained = keeps_channels(op) ? 0 : 4;
  constexpr std::int64_t kKiB = 1024;
  rules.ifm_ram_bytes = (accelerator.macs <= 128 ? 8 : accelerator.macs <= 1024 ? 16 : 32) * kKiB;
  rules.reads = rules.writes = {kChunk};
  rules.elementwise_reads = Channel::kReadIfmStream;
  rules.weight_streams = op.fast_weights ? 1 : accelerator.weight_decoders;
  return rules;
}

}  // namespace

bool one_step(const BlockOperation& op) { return op.kind == OpKind::kElementwise || op.kind == OpKind::kResize; }

bool keeps_channels(const BlockOperation& op) {
  return op.kind == OpKind::kDepthwise || (op.kind == OpKind::kPool && op.pool != PoolMode::kReduceSum);
}

WalkRules walk_rules(const BlockOperation& op, const Accelerator& accelerator) {
  auto rules =
      accelerator.family == Family::kU85 ? rules_u85(op, accelerator) : rules_u65(active_cores(op, accelerator));
  // Operations whose kernel is cut never find a block again, on either axis and in both families.
  if (one_step(op) || SubKernels(op.kernel).count() > 1) rules.retained = 0;
  return rules;
}

int ifm_block_depth(const BlockOperation& op, const Accelerator& accelerator) {
  const bool part_kernel = op.kind == OpKind::kConv && op.kernel.part_kernel_first;
  if (accelerator.family == Family::kU85) {
    if (part_kernel) return 16;
    if (op.sparse_weights) return op.ifm.bits == 8 ? 128 : 64;
    const bool deep_ublock = accelerator.macs <= 256 && ofm_ublock(op, accelerator).c == 16;
    return op.ifm.bits == 32 || deep_ublock ? 32 : 64;
  }
  if (op.ifm.bits >= 32) return 8;  // assumed; only reduce-sum reads 32 bits, and the count does not depend on it
  return part_kernel || op.ifm.bits == 16 ? 16 : 32;
}

}  // namespace macaw::npu
