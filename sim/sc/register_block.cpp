#include "sim/sc/register_block.hpp"

#include "sim/isa/pmu_events.hpp"

#include <algorithm>
#include <cstring>

namespace macaw::npu::sc {
namespace {

constexpr std::uint32_t kRun = 1, kClearIrq = 2, kClockAndPower = 0xc, kStop = 0x10;      // CMD
constexpr std::uint32_t kCountEnable = 1, kResetEvents = 2, kResetCycles = 4, kKept = 9;  // PMCR
constexpr std::uint64_t kCycleMask = 0xffffffffffff;

}  // namespace

CounterBlock::CounterBlock(const Accelerator& accelerator, const Pmu& pmu)
    : accelerator_(accelerator), pmu_(pmu), cycle_(static_cast<std::size_t>(accelerator.pmu_counters)) {
  counters_.resize(cycle_ + 1);
}

void CounterBlock::reset() {
  counters_.assign(counters_.size(), {});
  control_ = enabled_ = overflowed_ = interrupts_ = cycle_config_ = channel_ = lookup_ = 0;
}

std::uint64_t CounterBlock::source(const Counter& counter, bool cycles) const {
  if (cycles) return now() / kCycle;
  const PmuEventRow* event = find_pmu_event(accelerator_.family, counter.event);
  return event ? pmu_.count(*event).value_or(0) : 0;
}

/// Brings every counter up to date; overflows set their flags.
void CounterBlock::settle() {
  for (std::size_t i = 0; i < counters_.size(); ++i) {
    Counter& counter = counters_[i];
    if (!counter.counting) continue;
    const std::uint64_t at = source(counter, i == cycle_);
    const std::uint64_t sum = counter.value + (at - counter.since), mask = i == cycle_ ? kCycleMask : UINT32_MAX;
    if (sum > mask) overflowed_ |= bit(i);
    counter.value = sum & mask;
    counter.since = at;
  }
}

void CounterBlock::resume() {
  for (std::size_t i = 0; i < counters_.size(); ++i) {
    Counter& counter = counters_[i];
    counter.counting = (control_ & kCountEnable) && (enabled_ & bit(i));
    counter.since = source(counter, i == cycle_);
  }
}

bool CounterBlock::interrupt() {
  settle();
  return (overflowed_ & interrupts_) != 0;
}

std::uint32_t CounterBlock::read(const MmioRegisterRow& row, unsigned index, unsigned word) {
  settle();
  if (row.name == "PMCR") return control_ | static_cast<std::uint32_t>(cycle_) << 11;
  if (row.name == "PMCNTENSET" || row.name == "PMCNTENCLR") return enabled_;
  if (row.name == "PMOVSSET" || row.name == "PMOVSCLR") return overflowed_;
  if (row.name == "PMINTSET" || row.name == "PMINTCLR") return interrupts_;
  if (row.name == "PMCCNTR") return static_cast<std::uint32_t>(counters_[cycle_].value >> (32 * word));
  if (row.name == "PMEVCNTR") return static_cast<std::uint32_t>(counters_[index].value);
  if (row.name == "PMEVTYPER") return counters_[index].event;
  if (row.name == "PMCCNTR_CFG") return cycle_config_;
  return row.name == "PMCAXI_CHAN" ? channel_ : lookup_;
}

void CounterBlock::write(const MmioRegisterRow& row, unsigned index, unsigned word, std::uint32_t value) {
  settle();
  const std::uint32_t all = ((1u << cycle_) - 1) | 1u << 31;
  if (row.name == "PMCR") {
    control_ = value & kKept;
    if (value & kResetEvents)
      for (std::size_t i = 0; i < cycle_; ++i) counters_[i].value = 0;
    if (value & kResetCycles) counters_[cycle_].value = 0;
  } else if (row.name == "PMCNTENSET") {
    enabled_ |= value & all;
  } else if (row.name == "PMCNTENCLR") {
    enabled_ &= ~value;
  } else if (row.name == "PMOVSSET") {
    overflowed_ |= value & all;
  } else if (row.name == "PMOVSCLR") {
    overflowed_ &= ~value;
  } else if (row.name == "PMINTSET") {
    interrupts_ |= value & all;
  } else if (row.name == "PMINTCLR") {
    interrupts_ &= ~value;
  } else if (row.name == "PMCCNTR") {
    Counter& counter = counters_[cycle_];
    const std::uint64_t part = std::uint64_t{value} << (32 * word),
                        rest = word ? UINT32_MAX : ~std::uint64_t{UINT32_MAX};
    counter.value = ((counter.value & rest) | part) & kCycleMask;
  } else if (row.name == "PMEVCNTR") {
    counters_[index].value = value;
  } else if (row.name == "PMEVTYPER") {
    counters_[index].event = value & 0x3ff;
  } else if (row.name == "PMCCNTR_CFG") {
    cycle_config_ = value;
  } else if (row.name == "PMCAXI_CHAN") {
    channel_ = value;
  } else {
    lookup_ = value;
  }
  resume();
}

RegisterBlock::RegisterBlock(const sc_core::sc_module_name& name, const Accelerator& accelerator, const Pmu& pmu)
    : sc_core::sc_module(name),
      socket("socket"),
      job("job"),
      irq("irq"),
      accelerator_(accelerator),
      counters_(accelerator, pmu),
      words_(kSpaceBytes / 4) {
  socket.register_b_transport(this, &RegisterBlock::b_transport);
  socket.register_transport_dbg(this, &RegisterBlock::transport_dbg);
  reset(0);
  SC_METHOD(drive_irq);
  sensitive << irq_changed_;
  SC_THREAD(watch_jobs);
  SC_THREAD(watch_interrupts);
}

std::uint32_t& RegisterBlock::stored(std::string_view name, unsigned word) {
  return words_[find_mmio_register(accelerator_.family, name)->offset / 4u + word];
}

void RegisterBlock::reset(std::uint32_t pending) {
  std::fill(words_.begin(), words_.end(), 0);
  for (const MmioRegisterRow& row : mmio_registers())
    if (row.families & family_set(accelerator_.family)) words_[row.offset / 4u] = row.reset;
  stored("CONFIG") = accelerator_.config_word;
  stored("PROT") = pending;
  counters_.reset();
  reset_until_ = now() + ticks(kResetCycles);
  irq_raised_ = false;
  irq_history_ = 0;
  ended_ = false;
  irq_changed_.notify(sc_core::SC_ZERO_TIME);
}

std::uint32_t RegisterBlock::status() {
  std::uint32_t value = job->running() ? 1 : 0;
  value |= irq_raised_ ? 2 : 0;
  value |= counters_.interrupt() ? 1u << 6 : 0;
  if (now() < reset_until_) value |= 8;
  value |= std::uint32_t{irq_history_} << 16;
  if (!ended_) return value;
  const JobStatus& status = job->status();
  value |= status.bus_fault ? 4 : 0;
  value |= status.parse_error ? 1u << 4 : 0;
  value |= status.end_reached ? 1u << 5 : 0;
  value |= status.branch_fault ? 1u << 9 : 0;
  return value;
}

void RegisterBlock::start_job() {
  JobRegisters registers;
  registers.queue_base = stored("QBASE") | std::uint64_t{stored("QBASE", 1)} << 32;
  registers.queue_bytes = stored("QSIZE");
  // U85 selects a row of MEM_ATTR, whose bit says the side; the others a limit register, two for each side.
  const auto side = [&](std::uint32_t selector) {
    if (accelerator_.family != Family::kU85) return static_cast<int>(selector);
    return stored("MEM_ATTR", selector) & 4 ? 2 : 0;
  };
  registers.mode.qconfig = side(stored("QCONFIG") & 3);
  for (unsigned r = 0; r < 8; ++r) {
    registers.region_bases[r] = stored("BASEP", 2 * r) | std::uint64_t{stored("BASEP", 2 * r + 1)} << 32;
    registers.mode.regioncfg[r] = side(stored("REGIONCFG") >> (2 * r) & 3);
  }
  ended_ = false;
  job->start(registers);
}

void RegisterBlock::command(std::uint32_t value) {
  stored("CMD") = value & kClockAndPower;
  if (value & kClearIrq) irq_raised_ = false;
  irq_history_ &= static_cast<std::uint16_t>(~(value >> 16));
  if ((value & kRun) && !job->running() && now() >= reset_until_) start_job();
  irq_changed_.notify(sc_core::SC_ZERO_TIME);
}

std::uint32_t RegisterBlock::read(unsigned offset) {
  const MmioRegisterRow* row = find_mmio_register(accelerator_.family, offset);
  if (!row) return 0;
  const unsigned at = (offset - row->offset) / 4;
  if (CounterBlock::owns(*row)) return counters_.read(*row, at / row->words, at % row->words);
  if (row->name == "STATUS") return status();
  if (row->name == "QREAD") return job->read_position();
  return words_[offset / 4];
}

void RegisterBlock::write(unsigned offset, std::uint32_t value) {
  const MmioRegisterRow* row = find_mmio_register(accelerator_.family, offset);
  if (!row) return;
  const unsigned at = (offset - row->offset) / 4;
  if (CounterBlock::owns(*row)) {
    counters_.write(*row, at / row->words, at % row->words, value);
    irq_changed_.notify(sc_core::SC_ZERO_TIME);
    return;
  }
  static constexpr std::string_view kReadOnly[] = {"ID", "STATUS", "QREAD", "PROT", "CONFIG"};
  if (std::ranges::find(kReadOnly, row->name) != std::end(kReadOnly)) return;
  if (row->name == "RESET") return reset(value & 3);
  if (row->name == "CMD") return command(value);
  words_[offset / 4] = value;
}

bool RegisterBlock::access(tlm::tlm_generic_payload& payload) {
  const std::uint64_t address = payload.get_address();
  payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
  if (address % 4 != 0 || address >= kSpaceBytes) return false;
  payload.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
  if (payload.get_data_length() != 4 || payload.get_byte_enable_ptr()) return false;
  const auto offset = static_cast<unsigned>(address);
  std::uint32_t value = 0;
  if (payload.is_write()) {
    std::memcpy(&value, payload.get_data_ptr(), 4);
    write(offset, value);
  } else {
    value = read(offset);
    std::memcpy(payload.get_data_ptr(), &value, 4);
  }
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
  return true;
}

void RegisterBlock::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  static_cast<void>(access(payload));
  delay += to_time(kCycle);
}

unsigned RegisterBlock::transport_dbg(tlm::tlm_generic_payload& payload) {
  return payload.is_read() && access(payload) ? 4 : 0;
}

void RegisterBlock::drive_irq() { irq.write(irq_raised_ || counters_.interrupt()); }

void RegisterBlock::interrupt(std::uint16_t mask) {
  irq_raised_ = true;
  irq_history_ |= mask;
  irq_changed_.notify(sc_core::SC_ZERO_TIME);
}

void RegisterBlock::watch_jobs() {
  for (;;) {
    sc_core::wait(job->finished());
    ended_ = true;
    interrupt(job->status().irq_history);
  }
}

void RegisterBlock::watch_interrupts() {
  for (;;) {
    sc_core::wait(job->interrupted());
    interrupt(job->take_interrupts());
  }
}

}  // namespace macaw::npu::sc
