#include "compiler/generation.hpp"

#include "compiler/block_config.hpp"
#include "sim/datapath/bits.hpp"
#include "sim/isa/block_registers.hpp"
#include "sim/isa/dma_registers.hpp"
#include "sim/isa/u55_u65/registers.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>

namespace macaw::npu::compiler::u55_u65 {
namespace {

constexpr std::uint64_t kMaxFactor = 0x8000;
constexpr std::uint64_t kFixedFactor = std::uint64_t{1} << 19;  // of the unscaled 8-bit operand in 32-bit mode

/// The integer by which a RESCALE multiplies; nullopt if it is not an integer.
std::optional<std::uint64_t> exact_factor(const RescaleArguments& r) {
  const std::uint64_t m = r.multiplier[0];
  if (r.shift[0] >= 32) return m == 0 ? std::optional<std::uint64_t>(0) : std::nullopt;
  const auto low = (std::uint64_t{1} << r.shift[0]) - 1;
  return m & low ? std::nullopt : std::optional(m >> r.shift[0]);
}

/// Sets the operand scaling of `op` in one of two exact ways (u55_u65 5.4): both operands by 16-bit integers, or one by
/// a rounded multiplier and the other by an integer, 2^19 unless OPB_SCALE states a different one. False if neither is
/// exact.
bool scale_operands(BlockOperation& op, const RescaleArguments& a, const RescaleArguments& b,
                    const RescaleArguments& out) {
  op.ofm_scale = out.scaling();
  const auto factor_a = exact_factor(a), factor_b = exact_factor(b);
  if (factor_a && factor_b) {
    // Powers of two common to both factors move into the output shift, which must stay at least 1 for equal rounding.
    // With double rounding the position of the first rounding depends on the shift.
    int common = out.doubles(0) ? 0 : std::min(std::countr_zero(*factor_a | *factor_b), out.shift[0] - 1);
    if (*factor_a == 0 && *factor_b == 0) common = 0;
    const auto ka = *factor_a >> common, kb = *factor_b >> common;
    if (ka <= kMaxFactor && kb <= kMaxFactor) {
      op.operand_scaling = OperandScaling::kOpaOpb16;
      op.ifm_scale.scale = static_cast<std::uint32_t>(ka);
      op.ifm2_scale.scale = static_cast<std::uint32_t>(kb);
      op.ofm_scale.shift -= common;
      if (!out.doubles(0)) op.ofm_scale.rounding = Rounding::kNatural;
      return true;
    }
  }
  const auto try_rounded = [&](const RescaleArguments& rounded, const std::optional<std::uint64_t>& factor,
                               OperandScaling mode) {
    if (!factor || rounded.doubles(0) || (*factor != kFixedFactor && (*factor == 0 || *factor > kMaxFactor)))
      return false;
    op.operand_scaling = mode;
    op.ifm_scale = {
        .scale = rounded.multiplier[0], .shift = rounded.shift[0], .rounding = Rounding::kNatural, .dbl = 0};
    op.ifm2_scale.scale = *factor == kFixedFactor ? 0 : static_cast<std::uint32_t>(*factor);
    return true;
  };
  return try_rounded(a, factor_b, OperandScaling::kOpa32) || try_rounded(b, factor_a, OperandScaling::kOpb32);
}

/// A multiplication by a constant, as in regor; the operation has a single shift.
Result<void> multiply(Lowering& lowering, const StorageView& out, const StorageView& a, const StorageView& factors,
                      int shift, const Output& how) {
  Output scaled = how;
  scaled.per_channel.clear();
  scaled.scale = {.scale = 1, .shift = shift, .rounding = how.scale.rounding, .dbl = 0};
  auto proto = lowering.block(OpKind::kElementwise);
  proto.elementwise = ElementwiseMode::kMul;
  lowering.set_output(proto, out, scaled);
  return lowering.map(proto, out, &a, &factors, scaled);
}

class Target final : public Generation {
 public:
  constexpr Target() : Generation(Units{}) {}

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
    if (a.bits != 32) return lowering.unsupported("U55 and U65 have no 48-bit feature maps");
    if (how.per_channel.empty())
      return multiply(lowering, out, a, lowering.scalar(how.scale.scale, a.as(true)), how.scale.shift, how);
    const auto last = out.rank() - 1;
    const auto& scales = how.per_channel;
    for (std::size_t first = 0, end = 0; first < scales.size(); first = end) {
      std::vector<std::int64_t> factors;
      for (end = first; end < scales.size() && scales[end].shift == scales[first].shift; ++end)
        factors.push_back(scales[end].scale);
      Shape shape(out.rank(), 1);
      shape[last] = static_cast<std::int64_t>(factors.size());
      const auto at = static_cast<std::int64_t>(first), count = shape[last];
      MACAW_CHECK(multiply(lowering, out.part(last, at, count), a.part(last, at, count),
                           lowering.constants(factors, std::move(shape), 32), scales[first].shift, how));
    }
    return {};
  }
  [[nodiscard]] ClipRange clip(const StorageView&, const Output&) const override { return ClipRange::kOfmPrecision; }
  [[nodiscard]] bool fuses_rescale(ElementwiseMode) const override { return false; }
  [[nodiscard]] bool scale_sum(BlockOperation& op, const RescaleArguments& a, const RescaleArguments& b,
                               const RescaleArguments& out) const override {
    return scale_operands(op, a, b, out);
  }
  [[nodiscard]] bool prefers_part_kernel(std::int64_t depth, std::int64_t taps, int ifm_bits) const override {
    // Depth-first processes 32 input channels at a time, part-kernel 8 channels and 4 kernel elements (16-bit input:
    // 16, and 2).
    if (depth <= 8) return true;
    const std::int64_t depth_step = ifm_bits == 8 ? 32 : 16, tap_step = ifm_bits == 8 ? 4 : 2;
    return taps * round_up(depth, depth_step) > round_up(depth, 8) * round_up(taps, tap_step);
  }
  /// 40-bit accumulators.
  [[nodiscard]] bool holds_sums(std::span<const std::int16_t> weights,
                                std::span<const std::int64_t> bias) const override {
    constexpr std::int64_t kLimit = std::int64_t{1} << 39;
    const std::size_t taps = weights.size() / bias.size();
    for (std::size_t o = 0; o < bias.size(); ++o) {
      std::int64_t sum = 0;
      for (const auto weight : weights.subspan(o * taps, taps)) sum += std::abs(weight);
      if (sum >= kLimit >> 16 || std::abs(bias[o]) >= kLimit - (sum << 15)) return false;
    }
    return true;
  }

  [[nodiscard]] bool choose_block(const Accelerator& accelerator, BlockOperation& op, bool table) const override {
    return choose_block_u65(accelerator, op, table);
  }
  [[nodiscard]] std::size_t scale_entries(const BlockOperation&, std::size_t channels) const override {
    return channels;
  }
  void write(RegisterWriter& out, BlockOperation& op, const Accelerator& accelerator) const override {
    fields::all<fields::U55U65>(out, op, accelerator);
  }
  void write(RegisterWriter& out, DmaOperation& op) const override { fields::dma<fields::U55U65>(out, op); }
};

}  // namespace

const Generation& generation() {
  static constexpr Target kGeneration;
  return kGeneration;
}

}  // namespace macaw::npu::compiler::u55_u65
