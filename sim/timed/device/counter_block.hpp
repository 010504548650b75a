#pragma once
#include "sim/isa/mmio_registers.hpp"
#include "sim/timed/device/device_state.hpp"
#include "sim/timed/pmu.hpp"

#include <optional>
#include <vector>

namespace macaw::npu::timed {

/// Event and cycle counters as the registers show them: each continues from the value written to it while the monitor
/// and the counter are enabled and, with PMCR.mask_en, the command stream allows it. The cycle counter starts and stops
/// at the events that PMCCNTR_CFG names. Counters are 32 bits wide, the cycle counter 48.
class CounterBlock {
 public:
  CounterBlock(const Accelerator& accelerator, const Pmu& pmu);

  void reset();
  void save(StateWriter& state);
  /// Restores counters that continue from the saved values.
  void restore(StateReader& state);
  [[nodiscard]] std::uint32_t read(const MmioRegisterRow& row, unsigned index, unsigned word);
  void write(const MmioRegisterRow& row, unsigned index, unsigned word, std::uint32_t value);
  static bool owns(const MmioRegisterRow& row) { return row.name.view().starts_with("PM"); }

  /// Must be called when a stream starts or ends, and at NPU_OP_PMU_MASK. `running`: a stream runs; `unmasked`: it lets
  /// the counters count.
  void look(bool running, bool unmasked);
  /// Whether a counter that may interrupt has overflowed since the last call.
  [[nodiscard]] bool take_interrupt();
  /// Time after which look() must be called again to miss nothing; nullopt: at its next call for another reason.
  [[nodiscard]] std::optional<Ticks> next_look() const;

 private:
  struct Counter {
    std::uint64_t value = 0, since = 0;  ///< value when the count of its event was `since`
    std::uint32_t event = 0;
    bool counting = false;
  };
  /// An event that starts or stops the cycle counter, and its count when it was last read.
  struct Trigger {
    std::uint32_t event = 0;
    std::uint64_t seen = 0;
  };

  [[nodiscard]] std::uint64_t count(std::uint32_t event) const;
  [[nodiscard]] std::uint64_t source(std::size_t index) const;
  [[nodiscard]] std::uint32_t bit(std::size_t index) const { return index == cycle_ ? 1u << 31 : 1u << index; }
  [[nodiscard]] std::uint64_t most(std::size_t index) const;
  [[nodiscard]] bool happens(Trigger& trigger) const;
  void reset_counters(std::uint32_t control);
  void configure_cycles(std::uint32_t value);
  void settle();
  void resume();

  const Accelerator& accelerator_;
  const Pmu& pmu_;
  std::vector<Counter> counters_;  ///< events, then cycles
  std::size_t cycle_;
  std::uint32_t control_ = 0, enabled_ = 0, overflowed_ = 0, interrupts_ = 0, told_ = 0;
  std::uint32_t cycle_config_ = 0, channel_ = 0, lookup_ = 0;
  Trigger start_, stop_;
  bool open_ = true;  ///< between the start and the stop event
  bool running_ = false, unmasked_ = false;
};

}  // namespace macaw::npu::timed
