#include "sim/timed/u55_u65/pipeline.hpp"

namespace macaw::npu::timed::u55_u65 {

Pipeline::Pipeline(const sc_core::sc_module_name& name, const CoreConfig& config, const PipelineBindings& bindings,
                   Pmu& pmu)
    : timed::Pipeline(name),
      ram_("shared_ram", CoreConfig::count(config.params.ifm_slots), CoreConfig::count(config.params.accumulators)),
      traversal_("traversal", config),
      ifm_loader_("ifm_loader", config, pmu),
      weight_decoder_("weight_decoder", config, pmu),
      mac_array_("mac_array", pmu),
      output_unit_("output_unit", config, pmu),
      ofm_writer_("ofm_writer", config),
      ifm_steps_("ifm_steps", 4),
      weight_steps_("weight_steps", 8),
      mac_steps_("mac_steps", 4),
      elementwise_steps_("elementwise_steps", 4),
      blocks_("blocks", 8),
      accumulated_("accumulated", 4),
      weight_blocks_("weight_blocks", 2),
      slices_("slices", 2) {
  traversal_.kernels(bindings.kernels);
  traversal_.ifm_steps(ifm_steps_);
  traversal_.weight_steps(weight_steps_);
  traversal_.blocks(blocks_);
  ifm_loader_.steps(ifm_steps_);
  ifm_loader_.mac_steps(mac_steps_);
  ifm_loader_.output_steps(elementwise_steps_);
  ifm_loader_.ram(ram_.access);
  weight_decoder_.steps(weight_steps_);
  weight_decoder_.weight_blocks(weight_blocks_);
  weight_decoder_.ram(ram_.access);
  mac_array_.steps(mac_steps_);
  mac_array_.weight_blocks(weight_blocks_);
  mac_array_.accumulated(accumulated_);
  mac_array_.ram(ram_.access);
  output_unit_.blocks(blocks_);
  output_unit_.accumulated(accumulated_);
  output_unit_.elementwise_steps(elementwise_steps_);
  output_unit_.slices(slices_);
  output_unit_.ram(ram_.access);
  ofm_writer_.slices(slices_);
  ofm_writer_.scoreboard(bindings.scoreboard.access);
  for (std::size_t side = 0; side < bindings.axi.size(); ++side) {
    ifm_loader_.axi[side](bindings.axi[side].master);
    weight_decoder_.axi[side](bindings.axi[side].master);
    ofm_writer_.axi[side](bindings.axi[side].master);
  }
}

void Pipeline::restart() {
  clear(ifm_steps_, weight_steps_, mac_steps_, elementwise_steps_, blocks_, accumulated_, weight_blocks_, slices_);
}

std::string Pipeline::queues() const {
  return list(ifm_steps_, weight_steps_, mac_steps_, elementwise_steps_, blocks_, accumulated_, weight_blocks_,
              slices_);
}

}  // namespace macaw::npu::timed::u55_u65
