#pragma once
#include "sim/timed/axi_bridge.hpp"
#include "sim/timed/command_processor.hpp"
#include "sim/timed/dma.hpp"
#include "sim/timed/load_engine.hpp"
#include "sim/timed/memory.hpp"
#include "sim/timed/pipeline.hpp"
#include "sim/timed/timing_adapter.hpp"

namespace macaw::npu::timed {

/// The NPU core: all units, and the sockets of its AXI ports.
class Core : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(Core);
  /// Starts with `program`, if there is one.
  Core(const sc_core::sc_module_name& name, const CoreConfig& config, Program program);

  Pmu pmu;
  sc_core::sc_vector<AxiPort> axi;  ///< by side; memory is bound to its sockets
  CommandProcessor command_processor;
  /// Called when a program starts, to reset the memories to their state at the start of a simulation.
  std::function<void()> before_program;

  /// Aborts the running program with all work of its operations. The core takes a few delta cycles.
  void cancel();
  /// Whether a program is running that has not been aborted.
  [[nodiscard]] bool running() const { return command_processor.running() && !cancelling_; }
  /// Notified when an operation has finished.
  [[nodiscard]] const sc_core::sc_event& operation_finished() const { return scoreboard_.operation_finished(); }

  /// Describes the waiting processes for a message.
  [[nodiscard]] std::string outstanding() const;

 private:
  static AxiPort::Config port_config(const CoreConfig& core, int side);
  void start_program();
  void restart_units();
  void watch_cancel();

  const CoreConfig& config_;
  Scoreboard scoreboard_;
  Dma dma_;

  Fifo<KernelRef> kernels_;
  Fifo<DmaRef> dmas_;
  std::unique_ptr<Pipeline> pipeline_;
  std::vector<Restartable*> units_;
  bool cancelling_ = false;
  sc_core::sc_event cancelled_;
};

/// The memories of a core, each side behind a timing adapter. `sram_cap_share`: share of the bandwidth cap of side 0
/// that is available.
class Memories {
 public:
  Memories(Core& core, const std::array<MemoryTiming, 2>& timing, double sram_cap_share, double clock_hz);
  /// Resets to the start of a simulation that begins now.
  void restart();
  /// Returns why an engine is missing, so that nothing can be simulated, or the error of an engine that ends the
  /// simulation.
  [[nodiscard]] Result<void> check() const;

 private:
  void bind_memory(std::size_t side, std::size_t ports, const MemoryTiming& timing);
  void bind_engine(std::size_t side, std::size_t ports, const MemoryTiming& timing, double clock_hz);

  std::array<std::unique_ptr<TimingAdapter>, 2> adapters_;
  std::array<std::unique_ptr<Memory>, 2> memories_;  ///< if there is no engine
  std::array<std::unique_ptr<macaw::sc::MemoryEngine>, 2> engines_;
  std::array<std::string, 2> engine_names_;
  std::array<std::vector<std::unique_ptr<AxiBridge>>, 2> bridges_;  ///< to the engine, by port
  std::optional<Error> missing_;
};

/// A core with its memories.
class Top : public sc_core::sc_module {
 public:
  Top(const sc_core::sc_module_name& name, const CoreConfig& config, const std::array<MemoryTiming, 2>& memory,
      Program program, double clock_hz = 1e9);

  Core core;
  Memories memories;
};

}  // namespace macaw::npu::timed
