#pragma once
#include "sim/isa/mmio_registers.hpp"
#include "sim/sc/core_config.hpp"
#include "sim/sc/pmu.hpp"

#include <tlm_utils/simple_target_socket.h>
#include <array>
#include <string_view>
#include <vector>

namespace macaw::npu::sc {

/// What the registers of a job say when it is started.
struct JobRegisters {
  std::uint64_t queue_base = 0;
  std::uint32_t queue_bytes = 0;
  std::array<std::uint64_t, 8> region_bases{};
  MemoryMode mode;
};

/// What STATUS shows after a job.
struct JobStatus {
  bool end_reached = false, parse_error = false, bus_fault = false, branch_fault = false;
  std::uint16_t irq_history = 0;
};

/// The NPU behind the registers.
class JobInterface : public virtual sc_core::sc_interface {
 public:
  virtual void start(const JobRegisters& registers) = 0;
  [[nodiscard]] virtual bool running() const = 0;
  [[nodiscard]] virtual const JobStatus& status() const = 0;
  /// Bytes of the command stream that have been parsed.
  [[nodiscard]] virtual std::uint32_t read_position() const = 0;
  /// Notified when a job ends.
  [[nodiscard]] virtual const sc_core::sc_event& finished() const = 0;
  /// Notified when a job interrupts the host and goes on.
  [[nodiscard]] virtual const sc_core::sc_event& interrupted() const = 0;
  /// The masks of these interrupts since the last call.
  [[nodiscard]] virtual std::uint16_t take_interrupts() = 0;
};

/// Event and cycle counters as the registers show them: each counts on from the value written to it while the monitor
/// and the counter are enabled. 32 bits wide, the cycle counter 48.
class CounterBlock {
 public:
  CounterBlock(const Accelerator& accelerator, const Pmu& pmu);

  void reset();
  [[nodiscard]] std::uint32_t read(const MmioRegisterRow& row, unsigned index, unsigned word);
  void write(const MmioRegisterRow& row, unsigned index, unsigned word, std::uint32_t value);
  /// A counter that overflowed and may interrupt has done so.
  [[nodiscard]] bool interrupt();
  static bool owns(const MmioRegisterRow& row) { return row.name.starts_with("PM"); }

 private:
  struct Counter {
    std::uint64_t value = 0, since = 0;  ///< value when what it counts stood at `since`
    std::uint32_t event = 0;
    bool counting = false;
  };
  [[nodiscard]] std::uint64_t source(const Counter& counter, bool cycles) const;
  [[nodiscard]] std::uint32_t bit(std::size_t index) const { return index == cycle_ ? 1u << 31 : 1u << index; }
  void settle();
  void resume();

  const Accelerator& accelerator_;
  const Pmu& pmu_;
  std::vector<Counter> counters_;  ///< events, then cycles
  std::size_t cycle_;
  std::uint32_t control_ = 0, enabled_ = 0, overflowed_ = 0, interrupts_ = 0, cycle_config_ = 0, channel_ = 0,
                lookup_ = 0;
};

/// The memory-mapped registers (sim/isa/registers.def) as a TLM-2.0 target: aligned 32-bit accesses, a cycle each. What
/// a driver needs to run jobs has its effect; all other registers keep what is written.
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

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  unsigned transport_dbg(tlm::tlm_generic_payload& payload);
  [[nodiscard]] bool access(tlm::tlm_generic_payload& payload);
  [[nodiscard]] std::uint32_t read(unsigned offset);
  void write(unsigned offset, std::uint32_t value);
  [[nodiscard]] std::uint32_t& stored(std::string_view name, unsigned word = 0);
  [[nodiscard]] std::uint32_t status();
  void command(std::uint32_t value);
  void reset(std::uint32_t pending);
  void start_job();
  void drive_irq();
  void interrupt(std::uint16_t mask);
  void watch_jobs();
  void watch_interrupts();

  const Accelerator& accelerator_;
  CounterBlock counters_;
  std::vector<std::uint32_t> words_;
  Ticks reset_until_;
  bool irq_raised_ = false, ended_ = false;  ///< ended_: the last job, since the reset
  std::uint16_t irq_history_ = 0;
  sc_core::sc_event irq_changed_;
};

}  // namespace macaw::npu::sc
