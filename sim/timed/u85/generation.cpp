#include "sim/timed/generation.hpp"

#include "sim/config/cost.hpp"
#include "sim/timed/u85/pipeline.hpp"

#include <algorithm>

namespace macaw::npu::timed::u85 {
namespace {

class Core final : public Generation {
 public:
  // A table is not written while operations that may look values up in the old one are active; the output unit no
  // longer needs it when the data has been sent. A copy does not overtake an operation: measured, the copies of
  // ad_medium on U85-512 begin when the operation in front of them does.
  constexpr Core()
      : Generation({.short_bursts = true,
                    .join_bricks = true,
                    .fetches_after_start = true,
                    .tables_wait_for_data = true,
                    .copies_wait_for_start = true,
                    .copies_overlap = true,
                    .decodes_by_chunk = true,
                    .copy_part = Beats(16),
                    .copy_parts = 32,
                    .limits = {{{"AXI_SRAM", 0}, {"AXI_SRAM", 0}, {"AXI_EXT", 1}, {"AXI_EXT", 1}}},
                    .memory_attributes = "MEM_ATTR"}) {}

  [[nodiscard]] std::unique_ptr<timed::Pipeline> pipeline(const sc_core::sc_module_name& name, const CoreConfig& config,
                                                          const PipelineBindings& bindings, Pmu& pmu) const override {
    return std::make_unique<Pipeline>(name, config, bindings, pmu);
  }

  void set_costs(KernelRun& run, const CoreConfig& config) const override {
    const Params& params = config.params;
    std::optional<double> stream_cycles;
    // All decoders work in step, so that the longest stream determines the time.
    for (const WeightStreamSize& stream : run.weight_streams)
      stream_cycles = std::max(stream_cycles.value_or(0), static_cast<double>(stream.chunks) * params.weight_chunk +
                                                              static_cast<double>(stream.slices) * params.weight_slice);
    run.decode_cycles = cycles_per_weight_u85(run.op, config.accelerator, params, stream_cycles);
    run.accumulators = accumulator_buffers_u85(run.op, config.accelerator);
  }

  [[nodiscard]] double longest_transaction(const CoreConfig&, const Transfer&) const override { return 0; }
};

}  // namespace

const Generation& generation() {
  static constexpr Core kGeneration;
  return kGeneration;
}

}  // namespace macaw::npu::timed::u85
