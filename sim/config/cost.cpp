#include "sim/config/cost.hpp"

#include <algorithm>

namespace macaw::npu {
namespace {

constexpr int kWeightBlockChannels = 32;  // IFM channels of a weight block

bool uses_table(const Activation& activation) { return activation.function != ActivationFunction::kNone; }

/// Table of timing 1.6 for U85. Tables cost nothing extra there.
double cycles_per_element_u85(const BlockOperation& op, const Params& params) {
  if (op.kind == OpKind::kElementwise && op.elementwise == ElementwiseMode::kDiv) return params.ao_div;
  double cycles = op.ofm.bits == 8    ? params.ao_ofm8
                  : op.ofm.bits == 16 ? params.ao_ofm16
                  : op.ofm.bits == 32 ? params.ao_ofm32
                                      : params.ao_ofm64;
  if (op.kind == OpKind::kElementwise && op.ifm.bits == 32 && !is_unary(op.elementwise)) {
    const bool wide = op.ofm.bits == 32 && op.ofm.storage != Storage::kChained;
    cycles = wide ? params.ao_binary32 : params.ao_binary32_narrow;
  }
  constexpr int kReverseWidth = 2, kFirstTransposed = 1;
  const bool turned = op.transpose >= kFirstTransposed || op.reverse == kReverseWidth;
  return turned ? std::max(cycles, params.ao_turned) : cycles;
}

OutputClass elementwise_class(const BlockOperation& op) {
  switch (op.elementwise) {
    case ElementwiseMode::kMul: return op.ofm.bits == 32 ? OutputClass::kMul32 : OutputClass::kMulOrAcc40;
    case ElementwiseMode::kAdd:
    case ElementwiseMode::kSub:
      if (op.ifm.bits == 32) return OutputClass::kElementwise32Binary;
      return op.operand_scaling == OperandScaling::kOpaOpb16 ? OutputClass::kAddSubSimple
                                                             : OutputClass::kAddSubAdvanced;
    default: break;
  }
  if (op.ifm.bits != 32) return OutputClass::kDefault;
  return is_unary(op.elementwise) ? OutputClass::kElementwise32Unary : OutputClass::kElementwise32Binary;
}

}  // namespace

double weight_block_decode_cycles(const Accelerator& accelerator, const Params& params) {
  return kWeightBlockChannels * accelerator.ofm_ublock.c / params.weights_per_cycle;
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

OutputClass output_class(const BlockOperation& op) {
  if (op.kind == OpKind::kElementwise) return elementwise_class(op);
  if (op.kind == OpKind::kPool && op.pool == PoolMode::kMax) return OutputClass::kMaxPool;
  if (op.acc_format == AccFormat::kI40) return OutputClass::kMulOrAcc40;
  return OutputClass::kDefault;
}

double output_cycles_per_element(const BlockOperation& op, const Params& params) {
  if (op.family == Family::kU85) return cycles_per_element_u85(op, params);
  double cycles = 0;
  switch (output_class(op)) {
    case OutputClass::kElementwise32Unary: cycles = params.ao_elementwise32_unary; break;
    case OutputClass::kElementwise32Binary: cycles = params.ao_elementwise32_binary; break;
    case OutputClass::kMul32: cycles = params.ao_mul32; break;
    case OutputClass::kMulOrAcc40: cycles = params.ao_mul_or_acc40; break;
    case OutputClass::kAddSubSimple: cycles = params.ao_addsub_simple; break;
    case OutputClass::kAddSubAdvanced: cycles = params.ao_addsub_advanced; break;
    case OutputClass::kMaxPool: cycles = params.ao_max_pool; break;
    case OutputClass::kDefault: cycles = params.ao_default; break;
  }
  return uses_table(op.activation) ? std::max(cycles, params.ao_activation_table) : cycles;
}

}  // namespace macaw::npu
