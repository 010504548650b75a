#include "sim/config/cost.hpp"

#include <algorithm>

namespace macaw::npu {
namespace {

constexpr int kWeightBlockChannels = 32;  // IFM channels of a weight block

bool uses_table(const Activation& activation) { return activation.function != ActivationFunction::kNone; }

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

OutputClass output_class(const BlockOperation& op) {
  if (op.kind == OpKind::kElementwise) return elementwise_class(op);
  if (op.kind == OpKind::kPool && op.pool == PoolMode::kMax) return OutputClass::kMaxPool;
  if (op.acc_format == AccFormat::kI40) return OutputClass::kMulOrAcc40;
  return OutputClass::kDefault;
}

OutputCost output_cost_u65(const BlockOperation& op, const Params& params) {
  OutputCost cost = &Params::ao_default;
  switch (output_class(op)) {
    case OutputClass::kElementwise32Unary: cost = &Params::ao_elementwise32_unary; break;
    case OutputClass::kElementwise32Binary: cost = &Params::ao_elementwise32_binary; break;
    case OutputClass::kMul32: cost = &Params::ao_mul32; break;
    case OutputClass::kMulOrAcc40: cost = &Params::ao_mul_or_acc40; break;
    case OutputClass::kAddSubSimple: cost = &Params::ao_addsub_simple; break;
    case OutputClass::kAddSubAdvanced: cost = &Params::ao_addsub_advanced; break;
    case OutputClass::kMaxPool: cost = &Params::ao_max_pool; break;
    case OutputClass::kDefault: break;
  }
  return uses_table(op.activation) && params.*cost < params.ao_activation_table ? &Params::ao_activation_table : cost;
}

}  // namespace macaw::npu
