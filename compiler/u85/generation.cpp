#include "compiler/generation.hpp"

#include "compiler/block_config.hpp"
#include "sim/datapath/bits.hpp"
#include "sim/isa/block_registers.hpp"
#include "sim/isa/dma_registers.hpp"
#include "sim/isa/u85/registers.hpp"

#include <algorithm>

namespace macaw::npu::compiler::u85 {
namespace {

/// Modes whose result is scaled at any operand width: not shifts, divisions and 32-bit products (hapv3/neural-compiler,
/// ethosu/regor/architecture/ethosu85/ethos_u85_constraints.cpp, SupportedOFMQuant).
bool scales_result(ElementwiseMode mode) {
  switch (mode) {
    case ElementwiseMode::kAdd:
    case ElementwiseMode::kSub:
    case ElementwiseMode::kMin:
    case ElementwiseMode::kMax:
    case ElementwiseMode::kAbs:
    case ElementwiseMode::kClz: return true;
    default: return false;
  }
}

class Target final : public Generation {
 public:
  constexpr Target()
      : Generation({.has_int48 = true,
                    .wide_tables = true,
                    .pools_minimum = true,
                    .pool_bits = 64,
                    .sum_bits = 16,
                    .exchanges_axes = true,
                    .sum = PoolMode::kSum,
                    .wide_accumulators = AccFormat::kI48}) {}

  [[nodiscard]] LowerFunction lowering(tosa::Op op) const override {
    switch (op) {
#define MACAW_OWN_LOWERING(name, function) \
  case tosa::Op::k##name: return function;
#include "compiler/operators.def"
      default: return nullptr;
    }
  }

  [[nodiscard]] Result<void> convert_wide(Lowering& lowering, const StorageView& out, const StorageView& a,
                                          const Output& how) const override {
    auto proto = lowering.block(OpKind::kPool);
    proto.pool = PoolMode::kNone;
    proto.acc_input = AccInput::kIfm2;
    proto.acc_format = a.bits == 64 ? AccFormat::kI48 : AccFormat::kI32;
    lowering.set_output(proto, out, how);
    return lowering.map(proto, out, &a, nullptr, how);
  }
  [[nodiscard]] ClipRange clip(const StorageView& out, const Output& how) const override {
    return how.wrap || (out.bits > 16 && !how.clamp) ? ClipRange::kNone : ClipRange::kOfmPrecision;
  }
  [[nodiscard]] bool fuses_rescale(ElementwiseMode mode) const override { return scales_result(mode); }
  /// Scales each operand by a rounded multiplier.
  [[nodiscard]] bool scale_sum(BlockOperation& op, const RescaleArguments& a, const RescaleArguments& b,
                               const RescaleArguments& out) const override {
    op.ifm_scale = a.scaling();
    op.ifm2_scale = b.scaling();
    op.ofm_scale = out.scaling();
    return true;
  }
  [[nodiscard]] bool prefers_part_kernel(std::int64_t depth, std::int64_t taps, int) const override {
    // Vela, ethosu/regor/architecture/ethosu85/ethos_u85.cpp, ChooseKernelFirst: 5 elements at a time, the rest at
    // least 2.
    const auto elements = taps / 5 * 5 + std::max<std::int64_t>(taps % 5, 2);
    return taps * round_up(depth, 64) >= elements * round_up(depth, 16);
  }
  [[nodiscard]] bool holds_sums(std::span<const std::int16_t>, std::span<const std::int64_t>) const override {
    return true;
  }

  [[nodiscard]] bool choose_block(const Accelerator& accelerator, BlockOperation& op, bool) const override {
    return choose_block_u85(accelerator, op);
  }
  /// Entries for whole micro-blocks (u85 5.3).
  [[nodiscard]] std::size_t scale_entries(const BlockOperation& op, std::size_t channels) const override {
    const auto depth = static_cast<std::size_t>(round_up(op.ublock.c, 16));
    return (channels + depth - 1) / depth * depth;
  }
  void write(RegisterWriter& out, BlockOperation& op, const Accelerator& accelerator) const override {
    fields::all<fields::U85>(out, op, accelerator);
  }
  void write(RegisterWriter& out, DmaOperation& op) const override { fields::dma<fields::U85>(out, op); }
};

}  // namespace

const Generation& generation() {
  static constexpr Target kGeneration;
  return kGeneration;
}

}  // namespace macaw::npu::compiler::u85
