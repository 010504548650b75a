#include "sim/config/cost.hpp"

#include <algorithm>

namespace macaw::npu {

// Table of timing 1.6. Activation tables have no extra cost in it.
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

std::uint64_t decoded_weights_u85(const BlockOperation& op) {
  constexpr int kInputGranule = 16;
  const auto up = [](int value, int unit) { return std::int64_t{(value + unit - 1) / unit} * unit; };
  const int ublock = std::max(op.ublock.c, 1), block = std::max(op.block.c, 1), depth = std::max(op.ofm.c, 1);
  const std::int64_t channels = depth / block * up(block, ublock) + up(depth % block, ublock);
  const std::int64_t taps = std::int64_t{op.kernel.taps_y()} * op.kernel.taps_x();
  const std::int64_t inputs = op.kind == OpKind::kConv ? up(std::max(op.ifm.c, 1), kInputGranule) : 1;
  return static_cast<std::uint64_t>(channels * taps * inputs / (op.sparse_weights ? 2 : 1));
}

double cycles_per_weight_u85(const BlockOperation& op, const Accelerator& accelerator, const Params& params,
                             std::optional<double> stream_cycles) {
  if (op.fast_weights || op.weights_from_ifm2) return 1 / params.fast_weights_per_cycle;
  const std::uint64_t weights = decoded_weights_u85(op);
  if (stream_cycles && weights > 0) return *stream_cycles / static_cast<double>(weights);
  return 1 / (params.stream_weights_per_cycle * accelerator.weight_decoders);
}

int accumulator_buffers_u85(const BlockOperation& op, const Accelerator& accelerator) {
  const std::int64_t bytes = op.acc_format == AccFormat::kI48 ? 8 : 4;
  const std::int64_t block = bytes * op.block.h * op.block.w * op.block.c;
  return 2 * block <= accelerator.ram.accumulators ? 2 : 1;
}

}  // namespace macaw::npu
