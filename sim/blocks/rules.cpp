#include "sim/blocks/rules.hpp"

#include "sim/blocks/generation.hpp"

namespace macaw::npu {
int active_cores(const BlockOperation& op, const Accelerator& accelerator) {
  return op.dual_core ? accelerator.cores : 1;
}

bool one_step(const BlockOperation& op) { return op.kind == OpKind::kElementwise || op.kind == OpKind::kResize; }

bool keeps_channels(const BlockOperation& op) {
  return op.kind == OpKind::kDepthwise || (op.kind == OpKind::kPool && op.pool != PoolMode::kReduceSum);
}

WalkRules walk_rules(const BlockOperation& op, const Accelerator& accelerator) {
  auto rules = blocks::generation(accelerator.family).rules(op, accelerator);
  // Operations with a split kernel never reuse a block, on either axis and in both generations.
  if (one_step(op) || SubKernels(op.kernel).count() > 1) rules.retained = 0;
  return rules;
}

}  // namespace macaw::npu
