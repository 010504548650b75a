#include "sim/blocks/rules.hpp"

#include "sim/blocks/mac_work.hpp"

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
  rules.ifm_ram_bytes = accelerator.ram.ifm;
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

}  // namespace macaw::npu
