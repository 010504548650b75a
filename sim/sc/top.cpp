#include "sim/sc/top.hpp"

namespace macaw::npu::sc {

AxiPort::Config Core::port_config(const Accelerator& accelerator, int side) {
  AxiPort::Config config;
  config.side = side;
  config.ports = side ? accelerator.ports1 : accelerator.ports0;
  config.max_reads = side ? accelerator.max_reads1 : accelerator.max_reads0;
  config.max_writes = side ? accelerator.max_writes1 : accelerator.max_writes0;
  config.beat_bytes = accelerator.beat_bytes;
  return config;
}

Core::Core(const sc_core::sc_module_name& name, const CoreConfig& config, std::vector<Instruction> program,
           std::uint64_t stream_words)
    : sc_core::sc_module(name),
      pmu("pmu", config.accelerator),
      axi("axi", 2,
          [&](const char* port, std::size_t side) {
            return new AxiPort(port, port_config(config.accelerator, static_cast<int>(side)), pmu);
          }),
      command_processor("command_processor", config, std::move(program), stream_words, scoreboard_, pmu),
      scoreboard_("scoreboard"),
      ram_("shared_ram", CoreConfig::count(config.params.ifm_slots), CoreConfig::count(config.params.accumulators)),
      traversal_("traversal"),
      ifm_loader_("ifm_loader", config, pmu),
      weight_decoder_("weight_decoder", config, pmu),
      mac_array_("mac_array", pmu),
      output_unit_("output_unit", config, pmu),
      ofm_writer_("ofm_writer", config),
      dma_("dma", config),
      kernels_("kernels", CoreConfig::count(config.params.kernels_in_flight)),
      dmas_("dmas", config.accelerator.max_dma),
      ifm_steps_("ifm_steps", 4),
      weight_steps_("weight_steps", 8),
      mac_steps_("mac_steps", 4),
      elementwise_steps_("elementwise_steps", 4),
      blocks_("blocks", 8),
      accumulated_("accumulated", 4),
      weight_blocks_("weight_blocks", 2),
      slices_("slices", 2) {
  command_processor.kernels(kernels_);
  command_processor.dmas(dmas_);
  traversal_.kernels(kernels_);
  traversal_.ifm_steps(ifm_steps_);
  traversal_.weight_steps(weight_steps_);
  traversal_.blocks(blocks_);
  ifm_loader_.steps(ifm_steps_);
  ifm_loader_.mac_steps(mac_steps_);
  ifm_loader_.output_steps(elementwise_steps_);
  ifm_loader_.ram(ram_.access);
  weight_decoder_.steps(weight_steps_);
  weight_decoder_.weight_blocks(weight_blocks_);
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
  ofm_writer_.scoreboard(scoreboard_.access);
  dma_.jobs(dmas_);
  dma_.scoreboard(scoreboard_.access);
  for (std::size_t side = 0; side < axi.size(); ++side) {
    command_processor.axi[side](axi[side].master);
    ifm_loader_.axi[side](axi[side].master);
    weight_decoder_.axi[side](axi[side].master);
    ofm_writer_.axi[side](axi[side].master);
    dma_.axi[side](axi[side].master);
  }
}

Top::Top(const sc_core::sc_module_name& name, const CoreConfig& config, const std::array<MemoryTiming, 2>& memory,
         std::vector<Instruction> program, std::uint64_t stream_words)
    : sc_core::sc_module(name), core("core", config, std::move(program), stream_words) {
  for (std::size_t side = 0; side < 2; ++side) {
    const std::string suffix = std::to_string(side);
    adapters_[side] = std::make_unique<TimingAdapter>(("timing_adapter" + suffix).c_str(), memory[side]);
    Memory::Timing timing;
    if (memory[side].beats_per_cycle > 0) timing.beat = ticks(1 / memory[side].beats_per_cycle);
    timing.least_bytes = memory[side].least_bytes;
    memories_[side] = std::make_unique<Memory>(("memory" + suffix).c_str(), timing);
    for (auto& socket : core.axi[side].sockets) {
      socket.bind(adapters_[side]->target);
      adapters_[side]->initiator.bind(memories_[side]->socket);
    }
  }
}

}  // namespace macaw::npu::sc
