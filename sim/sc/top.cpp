#include "sim/sc/top.hpp"

#include <fmt/format.h>

namespace macaw::npu::sc {

AxiPort::Config Core::port_config(const CoreConfig& core, int side) {
  const Accelerator& accelerator = core.accelerator;
  AxiPort::Config config;
  config.side = side;
  config.ports = side ? accelerator.ports1 : accelerator.ports0;
  config.max_reads = side ? accelerator.max_reads1 : accelerator.max_reads0;
  config.max_writes = side ? accelerator.max_writes1 : accelerator.max_writes0;
  config.beat_bytes = accelerator.beat_bytes;
  config.waveform = core.waveform;
  return config;
}

Core::Core(const sc_core::sc_module_name& name, const CoreConfig& config, Program program)
    : sc_core::sc_module(name),
      pmu("pmu", config.accelerator),
      axi("axi", 2,
          [&](const char*, std::size_t side) {
            const bool u85 = config.accelerator.family == Family::kU85;
            const char* port = u85 ? (side ? "ext" : "sram") : (side ? "axi1" : "axi0");
            return new AxiPort(port, port_config(config, static_cast<int>(side)), pmu);
          }),
      command_processor("command_processor", config, scoreboard_, pmu),
      scoreboard_("scoreboard"),
      dma_("dma", config),
      kernels_("kernels", CoreConfig::count(config.params.kernels_in_flight)),
      dmas_("dmas", config.accelerator.max_dma) {
  command_processor.kernels(kernels_);
  command_processor.dmas(dmas_);
  dma_.jobs(dmas_);
  dma_.scoreboard(scoreboard_.access);
  for (std::size_t side = 0; side < axi.size(); ++side) {
    command_processor.axi[side](axi[side].master);
    dma_.axi[side](axi[side].master);
  }
  const PipelineBindings bindings{kernels_, axi, scoreboard_};
  pipeline_ = make_pipeline("pipeline", config, bindings, pmu);
  if (!program.instructions.empty()) command_processor.start(std::move(program));
}

std::string Core::outstanding() const {
  return fmt::format("{} block operations and {} copies outstanding, {} requests at the ports; queues: {}",
                     scoreboard_.kernels(), scoreboard_.dmas(), axi[0].waiting() + axi[1].waiting(),
                     pipeline_->queues());
}

Memories::Memories(Core& core, const std::array<MemoryTiming, 2>& timing, double sram_cap_share) {
  for (std::size_t side = 0; side < 2; ++side) {
    const std::string suffix = std::to_string(side);
    adapters_[side] = std::make_unique<TimingAdapter>(("timing_adapter" + suffix).c_str(), timing[side],
                                                      side == 0 ? sram_cap_share : 1);
    Memory::Timing own;
    if (timing[side].beats_per_cycle > 0) own.beat = pace(1 / timing[side].beats_per_cycle);
    own.least_bytes = timing[side].least_bytes;
    memories_[side] = std::make_unique<Memory>(("memory" + suffix).c_str(), own);
    for (auto& socket : core.axi[side].sockets) {
      socket.bind(adapters_[side]->target);
      adapters_[side]->initiator.bind(memories_[side]->socket);
    }
  }
}

Top::Top(const sc_core::sc_module_name& name, const CoreConfig& config, const std::array<MemoryTiming, 2>& memory,
         Program program)
    : sc_core::sc_module(name),
      core("core", config, std::move(program)),
      memories_(core, memory, config.params.sram_cap_share) {}

}  // namespace macaw::npu::sc
