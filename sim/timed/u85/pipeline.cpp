#include "sim/timed/u85/pipeline.hpp"

#include <algorithm>

namespace macaw::npu::timed::u85 {
namespace {

constexpr int kStepsAhead = 16;   // of the traversal; buffers limit the units earlier
constexpr int kRowsAhead = 1024;  // rarely full
constexpr int kSliceWords = 16;

// Units that are being decoded or are in the MAC array do not occupy the queue.
int decoded_units(const CoreConfig& config) { return std::max(CoreConfig::count(config.params.decoded_units) - 2, 1); }

}  // namespace

Pipeline::Pipeline(const sc_core::sc_module_name& name, const CoreConfig& config, const PipelineBindings& bindings,
                   Pmu& pmu)
    : timed::Pipeline(name),
      ram_("block_ram", static_cast<std::uint64_t>(config.accelerator.ram.ifm),
           CoreConfig::count(config.params.ifm_slots)),
      stream_buffer_("stream_buffer", config.params.read_buffer_ifm_stream),
      traversal_("traversal", config),
      ifm_loader_("ifm_loader", config, stream_buffer_, pmu),
      weight_decoder_("weight_decoder", config, pmu),
      scale_reader_("scale_reader", config),
      mac_array_("mac_array", pmu),
      output_unit_("output_unit", config, stream_buffer_, pmu),
      ofm_writer_("ofm_writer", config),
      ifm_steps_("ifm_steps", kStepsAhead),
      weight_steps_("weight_steps", kStepsAhead),
      mac_steps_("mac_steps", kStepsAhead),
      blocks_("blocks", kStepsAhead),
      scaled_blocks_("scaled_blocks", kStepsAhead),
      weight_blocks_("weight_blocks", decoded_units(config)),
      accumulated_("accumulated", kRowsAhead),
      operands_("operands", kStepsAhead),
      slices_("slices", std::max(CoreConfig::count(config.params.output_buffer / kSliceWords), 1)) {
  traversal_.kernels(bindings.kernels);
  traversal_.ifm_steps(ifm_steps_);
  traversal_.weight_steps(weight_steps_);
  traversal_.blocks(blocks_);
  traversal_.scaled_blocks(scaled_blocks_);
  ifm_loader_.steps(ifm_steps_);
  ifm_loader_.mac_steps(mac_steps_);
  ifm_loader_.operands(operands_);
  ifm_loader_.ram(ram_.access);
  ifm_loader_.scales(scale_reader_.access);
  weight_decoder_.steps(weight_steps_);
  weight_decoder_.weight_blocks(weight_blocks_);
  weight_decoder_.scales(scale_reader_.access);
  scale_reader_.blocks(scaled_blocks_);
  mac_array_.steps(mac_steps_);
  mac_array_.weight_blocks(weight_blocks_);
  mac_array_.accumulated(accumulated_);
  mac_array_.ram(ram_.access);
  output_unit_.blocks(blocks_);
  output_unit_.scales(scale_reader_.access);
  output_unit_.accumulated(accumulated_);
  output_unit_.operands(operands_);
  output_unit_.slices(slices_);
  output_unit_.ram(ram_.access);
  ofm_writer_.slices(slices_);
  ofm_writer_.scoreboard(bindings.scoreboard.access);
  for (std::size_t side = 0; side < bindings.axi.size(); ++side) {
    ifm_loader_.axi[side](bindings.axi[side].master);
    weight_decoder_.axi[side](bindings.axi[side].master);
    scale_reader_.axi[side](bindings.axi[side].master);
    ofm_writer_.axi[side](bindings.axi[side].master);
  }
}

void Pipeline::restart() {
  clear(ifm_steps_, weight_steps_, mac_steps_, blocks_, scaled_blocks_, weight_blocks_, accumulated_, operands_,
        slices_);
}

std::string Pipeline::queues() const {
  return list(ifm_steps_, weight_steps_, mac_steps_, blocks_, scaled_blocks_, weight_blocks_, accumulated_, operands_,
              slices_);
}

}  // namespace macaw::npu::timed::u85
