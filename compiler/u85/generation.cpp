#include "compiler/generation.hpp"

#include "sim/isa/block_registers.hpp"
#include "sim/isa/dma_registers.hpp"
#include "sim/isa/u85/registers.hpp"

namespace macaw::npu::compiler::u85 {
namespace {

class Target final : public Generation {
 public:
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
