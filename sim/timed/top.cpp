#include "sim/timed/top.hpp"

#include "sim/timed/generation.hpp"

#include <fmt/format.h>

namespace macaw::npu::timed {

namespace {

template <class Visit>
void visit_below(const sc_core::sc_object& object, const Visit& visit) {
  for (sc_core::sc_object* child : object.get_child_objects()) {
    visit(*child);
    visit_below(*child, visit);
  }
}

}  // namespace

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
            const std::string port(traits(config.accelerator.family).ports[side]);
            return new AxiPort(port.c_str(), port_config(config, static_cast<int>(side)), pmu);
          }),
      command_processor("command_processor", config, scoreboard_, pmu),
      config_(config),
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
  pipeline_ = config.generation.pipeline("pipeline", config, bindings, pmu);
  visit_below(*this, [this](sc_core::sc_object& object) {
    if (auto* unit = dynamic_cast<Restartable*>(&object)) units_.push_back(unit);
  });
  std::erase(units_, &command_processor);
  command_processor.before_program = [this] { start_program(); };
  SC_THREAD(watch_cancel);
  if (program.instructions) command_processor.start(std::move(program));
}

void Core::restart_units() {
  for (AxiPort& port : axi) port.restart(config_.limits);
  for (Restartable* unit : units_) unit->restart();
}

// Each program finds the state that the first one does, so that it takes the same time.
void Core::start_program() {
  restart_units();
  pmu.round_up();
  if (before_program) before_program();
}

void Core::cancel() {
  cancelling_ = true;
  cancelled_.notify();
}

void Core::watch_cancel() {
  for (;;) {
    sc_core::wait(cancelled_);
    std::vector<sc_core::sc_process_handle> processes;
    visit_below(*this, [&](sc_core::sc_object& object) {
      const sc_core::sc_process_handle process(&object);
      if (process.valid() && process != sc_core::sc_get_current_process_handle()) processes.push_back(process);
      if (auto* activity = dynamic_cast<Activity*>(&object)) activity->end();
    });
    for (auto& process : processes) process.suspend();
    // Items written to queues in this delta cycle can be read in the next one and are removed in the one after.
    sc_core::wait(sc_core::SC_ZERO_TIME);
    for (Restartable* unit : units_) unit->give_up();
    restart_units();
    command_processor.restart();
    dmas_.clear();
    kernels_.clear();
    sc_core::wait(sc_core::SC_ZERO_TIME);
    for (auto& process : processes) {
      process.reset();
      process.resume();
    }
    cancelling_ = false;
  }
}

std::string Core::outstanding() const {
  return fmt::format("{} block operations and {} copies outstanding, {} requests at the ports; queues: {}",
                     scoreboard_.kernels(), scoreboard_.dmas(), axi[0].waiting() + axi[1].waiting(),
                     pipeline_->queues());
}

Memories::Memories(Core& core, const std::array<MemoryTiming, 2>& timing, double sram_cap_share, double clock_hz) {
  for (std::size_t side = 0; side < 2; ++side) {
    const std::string suffix = std::to_string(side);
    adapters_[side] = std::make_unique<TimingAdapter>(("timing_adapter" + suffix).c_str(), timing[side],
                                                      side == 0 ? sram_cap_share : 1);
    core.axi[side].answered_at_once = timing[side].engine.empty();
    auto& sockets = core.axi[side].sockets;
    for (auto& socket : sockets) socket.bind(adapters_[side]->target);
    if (timing[side].engine.empty()) bind_memory(side, sockets.size(), timing[side]);
    else bind_engine(side, sockets.size(), timing[side], clock_hz);
  }
}

void Memories::bind_memory(std::size_t side, std::size_t ports, const MemoryTiming& timing) {
  Memory::Timing own;
  if (timing.beats_per_cycle > 0) own.beat = pace(1 / timing.beats_per_cycle);
  own.read_latency = ticks(Cycles(timing.access_latency));
  own.least_bytes = timing.least_bytes;
  own.partial_write = ticks(Cycles(timing.partial_write_cycles));
  own.traffic = timing.traffic;
  memories_[side] = std::make_unique<Memory>(("memory" + std::to_string(side)).c_str(), own);
  for (std::size_t port = 0; port < ports; ++port) adapters_[side]->initiator.bind(memories_[side]->socket);
}

void Memories::bind_engine(std::size_t side, std::size_t ports, const MemoryTiming& timing, double clock_hz) {
  const auto name = fmt::format("engine{}", side);
  engine_names_[side] = timing.engine;
  auto engine = load_engine(timing.engine, {name, timing.engine_setup, clock_hz});
  if (!engine) {
    missing_ = engine.error();
    missing_->message = fmt::format("axi{}.engine: {}", side, missing_->message);
    return;
  }
  engines_[side] = std::move(*engine);
  for (std::size_t port = 0; port < ports; ++port) {
    const auto bridge = fmt::format("bridge{}_{}", side, port);
    bridges_[side].push_back(std::make_unique<AxiBridge>(bridge.c_str(), AxiBridge::Values::kNone));
    adapters_[side]->initiator.bind(bridges_[side].back()->in);
    engines_[side]->bind(bridges_[side].back()->out);
  }
}

Result<void> Memories::check() const {
  if (missing_) return tl::unexpected(*missing_);
  for (std::size_t side = 0; side < 2; ++side)
    for (const auto& bridge : bridges_[side])
      if (const auto complaint = bridge->complaint())
        return fail(ErrorCode::kUnsupported,
                    fmt::format("axi{}.engine: no run with '{}': {}", side, engine_names_[side], *complaint));
  return {};
}

void Memories::restart() {
  for (std::size_t side = 0; side < 2; ++side) {
    adapters_[side]->restart();
    if (engines_[side]) engines_[side]->restart();
    else memories_[side]->restart();
  }
}

Top::Top(const sc_core::sc_module_name& name, const CoreConfig& config, const std::array<MemoryTiming, 2>& memory,
         Program program, double clock_hz)
    : sc_core::sc_module(name),
      core("core", config, std::move(program)),
      memories(core, memory, config.params.sram_cap_share, clock_hz) {}

}  // namespace macaw::npu::timed
