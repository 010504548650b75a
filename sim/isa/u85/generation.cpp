#include "sim/isa/generation.hpp"

#include "sim/isa/block_registers.hpp"
#include "sim/isa/dma_registers.hpp"
#include "sim/isa/u85/registers.hpp"

#include <algorithm>

namespace macaw::npu::isa::u85 {
namespace {

/// The registers state height and width of the micro-block; its depth follows from the accelerator.
void settle_ublock(RegisterReader& in, BlockOperation& op, const Accelerator& accelerator) {
  const Hwc shape = op.ublock;
  const auto found =
      std::ranges::find_if(accelerator.ofm_ublocks, [&](const Hwc& u) { return u.h == shape.h && u.w == shape.w; });
  op.ublock = found == accelerator.ofm_ublocks.end() ? accelerator.ofm_ublock : *found;
  if (found == accelerator.ofm_ublocks.end())
    in.fault(MACAW_REG_U85("ACC_FORMAT", "microblock"),
             fmt::format("{} has no {}x{} micro-block", accelerator.name, shape.h, shape.w));
}

class Registers final : public Generation {
 public:
  void read(RegisterReader& in, BlockOperation& op, const Accelerator& accelerator) const override {
    fields::all<fields::U85>(in, op, accelerator);
    settle_ublock(in, op, accelerator);
  }

  void read(RegisterReader& in, DmaOperation& op) const override { fields::dma<fields::U85>(in, op); }

  [[nodiscard]] int ifm_block_depth(const IfmBlockUse& use) const override {
    if (use.part_kernel_first) return 16;
    const bool deep_ublock = use.macs <= 256 && use.ofm_ublock_depth == 16;
    if (use.ifm_bits == 32 || (deep_ublock && !use.sparse_weights)) return 32;
    return use.sparse_weights && use.ifm_bits == 8 ? 128 : 64;
  }

  [[nodiscard]] std::size_t internal_memory_bytes(const Accelerator& accelerator) const override {
    return static_cast<std::size_t>(accelerator.ram.lut);
  }
};

}  // namespace

const Generation& generation() {
  static constexpr Registers kGeneration;
  return kGeneration;
}

}  // namespace macaw::npu::isa::u85
