#include "sim/timed/generation.hpp"

#include "sim/config/cost.hpp"
#include "sim/timed/u55_u65/pipeline.hpp"

namespace macaw::npu::timed::u55_u65 {
namespace {

class Core final : public Generation {
 public:
  constexpr Core()
      : Generation({.copy_part = Beats(32),
                    .copy_parts = 4,
                    .limits = {{{"AXI_LIMIT0", 0}, {"AXI_LIMIT1", 0}, {"AXI_LIMIT2", 1}, {"AXI_LIMIT3", 1}}}}) {}

  [[nodiscard]] std::unique_ptr<timed::Pipeline> pipeline(const sc_core::sc_module_name& name, const CoreConfig& config,
                                                          const PipelineBindings& bindings, Pmu& pmu) const override {
    return std::make_unique<Pipeline>(name, config, bindings, pmu);
  }

  void set_costs(KernelRun& run, const CoreConfig& config) const override {
    run.decode_cycles = weight_block_decode_cycles(config.accelerator, config.params);
  }

  [[nodiscard]] double longest_transaction(const CoreConfig& config, const Transfer& transfer) const override {
    if (config.side(transfer) != 0) return 0;
    if (transfer.channel == Channel::kReadIfm) return config.params.ifm_transaction_axi0;
    return transfer.channel == Channel::kWriteOfm ? config.params.ofm_transaction_axi0 : 0;
  }
};

}  // namespace

const Generation& generation() {
  static constexpr Core kGeneration;
  return kGeneration;
}

}  // namespace macaw::npu::timed::u55_u65
