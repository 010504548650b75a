#pragma once
#include "sim/isa/mmio_registers.hpp"
#include "sim/timed/core_config.hpp"
#include "sim/timed/device/counter_block.hpp"
#include "sim/timed/generation.hpp"

#include <tlm_utils/simple_target_socket.h>
#include <array>
#include <string_view>
#include <vector>

namespace macaw::npu::timed {

/// Register values of a job at its start.
struct JobRegisters {
  std::uint64_t queue_base = 0;
  std::uint32_t queue_bytes = 0;
  std::array<std::uint64_t, 8> region_bases{};
  MemoryMode mode;
  std::array<AxiLimit, 4> limits;  ///< CoreConfig::limits
};

/// Value of STATUS after a job.
struct JobStatus {
  bool end_reached = false, parse_error = false, bus_fault = false, branch_fault = false;
  bool interrupts = false;  ///< false if the host stopped it
  std::uint16_t irq_history = 0;
  Channel faulting_channel = Channel::kReadCommands;
  int faulting_side = 0;
};

/// The NPU behind the registers.
class JobInterface : public virtual sc_core::sc_interface {
 public:
  virtual void start(const JobRegisters& registers) = 0;
  /// Ends the job when all operations that it has started are complete.
  virtual void stop() = 0;
  /// Aborts the job, if there is one; it never finishes.
  virtual void cancel() = 0;
  [[nodiscard]] virtual bool running() const = 0;
  [[nodiscard]] virtual const JobStatus& status() const = 0;
  /// Byte offset up to which the command stream has been parsed.
  [[nodiscard]] virtual std::uint32_t read_position() const = 0;
  /// Notified when a job ends.
  [[nodiscard]] virtual const sc_core::sc_event& finished() const = 0;
  /// Notified when a job interrupts the host and continues.
  [[nodiscard]] virtual const sc_core::sc_event& interrupted() const = 0;
  /// The masks of these interrupts since the last call.
  [[nodiscard]] virtual std::uint16_t take_interrupts() = 0;
  /// Whether the stream lets the performance monitor count (NPU_OP_PMU_MASK), and an event when that changes.
  [[nodiscard]] virtual bool counts() const = 0;
  [[nodiscard]] virtual const sc_core::sc_event& counts_changed() const = 0;
};

/// The memory-mapped registers (sim/isa/registers.def) as a TLM-2.0 target: aligned 32-bit accesses, a cycle each.
/// Registers that a driver needs to run jobs have their effect; all others only keep the value that is written.
class RegisterBlock : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<RegisterBlock> socket;
  sc_core::sc_port<JobInterface> job;
  sc_core::sc_out<bool> irq;

  /// Cycles from a write of RESET until STATUS shows that it is over (assumed).
  static constexpr double kResetCycles = 64;
  static constexpr unsigned kSpaceBytes = 0x2000;

  SC_HAS_PROCESS(RegisterBlock);
  RegisterBlock(const sc_core::sc_module_name& name, const Accelerator& accelerator, const Pmu& pmu);

  /// Resets like the reset line, to the initial state.
  void reset_line();
  /// Between two jobs: all registers with the state behind them.
  void save(StateWriter& state);
  void restore(StateReader& state);
  [[nodiscard]] bool in_reset() const { return now() < reset_until_; }

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  unsigned transport_dbg(tlm::tlm_generic_payload& payload);
  [[nodiscard]] bool access(tlm::tlm_generic_payload& payload);
  [[nodiscard]] std::uint32_t read(unsigned offset);
  void write(unsigned offset, std::uint32_t value);
  [[nodiscard]] std::uint32_t& stored(std::string_view name, unsigned word = 0);
  [[nodiscard]] std::uint32_t field(std::string_view name, std::string_view field);
  [[nodiscard]] std::uint32_t status();
  void command(std::uint32_t value);
  void reset(std::uint32_t pending);
  void start_job();
  [[nodiscard]] AxiLimit limit(std::string_view name, int side);
  [[nodiscard]] std::array<AxiLimit, 4> limits();
  void look_at_counters();
  void drive_irq();
  void interrupt(std::uint16_t mask);
  void watch_jobs();
  void watch_interrupts();
  void watch_mask();

  const Accelerator& accelerator_;
  const GenerationRules& rules_;
  CounterBlock counters_;
  std::vector<std::uint32_t> words_;
  Ticks reset_until_;
  bool irq_raised_ = false, pmu_irq_raised_ = false;
  bool end_reached_ = false;
  std::uint32_t faults_ = 0;  ///< bits of STATUS that only a reset clears
  std::uint16_t irq_history_ = 0;
  sc_core::sc_event irq_changed_, look_;
};

}  // namespace macaw::npu::timed
