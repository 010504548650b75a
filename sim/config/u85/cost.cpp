#include "sim/config/cost.hpp"

#include <algorithm>

namespace macaw::npu {

// Table of timing 1.6. Tables cost nothing extra there.
OutputCost output_cost_u85(const BlockOperation& op, const Params& params) {
  if (op.kind == OpKind::kElementwise && op.elementwise == ElementwiseMode::kDiv) return &Params::ao_div;
  OutputCost cost = op.ofm.bits == 8    ? &Params::ao_ofm8
                    : op.ofm.bits == 16 ? &Params::ao_ofm16
                    : op.ofm.bits == 32 ? &Params::ao_ofm32
                                        : &Params::ao_ofm64;
  if (op.kind == OpKind::kElementwise && op.ifm.bits == 32 && !is_unary(op.elementwise)) {
    const bool wide = op.ofm.bits == 32 && op.ofm.storage != Storage::kChained;
    cost = wide ? &Params::ao_binary32 : &Params::ao_binary32_narrow;
  }
  constexpr int kReverseWidth = 2, kFirstTransposed = 1;
  const bool turned = op.transpose >= kFirstTransposed || op.reverse == kReverseWidth;
  return turned && params.*cost < params.ao_turned ? &Params::ao_turned : cost;
}

double cycles_per_weight_u85(const BlockOperation& op, const Accelerator& accelerator, const Params& params) {
  if (op.fast_weights || op.weights_from_ifm2) return 1 / params.fast_weights_per_cycle;
  return 1 / (params.stream_weights_per_cycle * accelerator.weight_decoders);
}

int accumulator_buffers_u85(const BlockOperation& op, const Accelerator& accelerator) {
  const std::int64_t bytes = op.acc_format == AccFormat::kI48 ? 8 : 4;
  const std::int64_t block = bytes * op.block.h * op.block.w * op.block.c;
  return 2 * block <= accelerator.ram.accumulators ? 2 : 1;
}

}  // namespace macaw::npu
