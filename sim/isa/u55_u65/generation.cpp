#include "sim/isa/generation.hpp"

#include "sim/isa/block_registers.hpp"
#include "sim/isa/dma_registers.hpp"
#include "sim/isa/u55_u65/registers.hpp"

namespace macaw::npu::isa::u55_u65 {
namespace {

void read_cores(RegisterReader& in, BlockOperation& op, const Accelerator& accelerator) {
  if (op.family != Family::kU65) return;
  constexpr FieldRef parallel = MACAW_REG_U65("PARALLEL_MODE", "parallel_mode");
  in.code(parallel, op.dual_core);
  if (op.dual_core && accelerator.cores < 2) in.fault(parallel, "the configuration has one core");
}

/// 256 MACs per core use their 2x2 micro-block as a row for one-row convolutions (Vela ethosu/vela/npu_performance.py).
Hwc ublock(const BlockOperation& op, const Accelerator& accelerator) {
  const Hwc own = accelerator.ofm_ublock;
  const bool row =
      own.h == 2 && op.kind == OpKind::kConv && op.ofm.h == 1 && op.ofm.w % 2 == 0 && op.kernel.height == 1;
  return row ? Hwc{1, 4, own.c} : own;
}

class Registers final : public Generation {
 public:
  void read(RegisterReader& in, BlockOperation& op, const Accelerator& accelerator) const override {
    read_cores(in, op, accelerator);
    fields::all<fields::U55U65>(in, op, accelerator);
    op.ublock = ublock(op, accelerator);
  }

  void read(RegisterReader& in, DmaOperation& op) const override { fields::dma<fields::U55U65>(in, op); }

  [[nodiscard]] int ifm_block_depth(const IfmBlockUse& use) const override {
    if (use.ifm_bits >= 32) return 8;
    return use.part_kernel_first || use.ifm_bits == 16 ? 16 : 32;
  }

  [[nodiscard]] std::size_t internal_memory_bytes(const Accelerator& accelerator) const override {
    constexpr std::size_t kBankBytes = 1024;
    return static_cast<std::size_t>(accelerator.shram_banks) * kBankBytes;
  }
};

}  // namespace

const Generation& generation() {
  static constexpr Registers kGeneration;
  return kGeneration;
}

}  // namespace macaw::npu::isa::u55_u65
