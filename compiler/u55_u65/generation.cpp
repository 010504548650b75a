#include "compiler/generation.hpp"

#include "sim/isa/block_registers.hpp"
#include "sim/isa/dma_registers.hpp"
#include "sim/isa/u55_u65/registers.hpp"

namespace macaw::npu::compiler::u55_u65 {
namespace {

class Target final : public Generation {
 public:
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
