#include "sim/timed/device/register_block.hpp"

#include "sim/isa/pmu_events.hpp"

#include <algorithm>
#include <cstring>

namespace macaw::npu::timed {
namespace {

constexpr std::uint32_t kRun = 1, kClearIrq = 2, kClockAndPower = 0xc, kStop = 0x10;  // CMD
constexpr std::uint32_t kLeastBurst = 64, kBurstCodes = 2;                            // max_beats: 64, 128 or 256 bytes

// STATUS
constexpr std::uint32_t kRunning = 1, kIrqRaised = 2, kBusFault = 4, kInReset = 8, kParseError = 1u << 4,
                        kEndReached = 1u << 5, kPmuIrqRaised = 1u << 6, kBranchFault = 1u << 9;
constexpr unsigned kFaultingInterface = 11, kFaultingChannel = 12, kIrqHistory = 16;

std::uint32_t fault_bits(const JobStatus& status) {
  std::uint32_t bits = 0;
  if (status.parse_error) bits |= kParseError;
  if (status.branch_fault) bits |= kBranchFault;
  if (status.bus_fault)
    bits |= kBusFault | static_cast<std::uint32_t>(status.faulting_side) << kFaultingInterface |
            static_cast<std::uint32_t>(status.faulting_channel) << kFaultingChannel;
  return bits;
}

}  // namespace

RegisterBlock::RegisterBlock(const sc_core::sc_module_name& name, const Accelerator& accelerator, const Pmu& pmu)
    : sc_core::sc_module(name),
      socket("socket"),
      job("job"),
      irq("irq"),
      accelerator_(accelerator),
      rules_(generation(accelerator.family).rules),
      counters_(accelerator, pmu),
      words_(kSpaceBytes / 4) {
  socket.register_b_transport(this, &RegisterBlock::b_transport);
  socket.register_transport_dbg(this, &RegisterBlock::transport_dbg);
  reset(0);
  SC_METHOD(drive_irq);
  sensitive << irq_changed_;
  SC_METHOD(look_at_counters);
  sensitive << look_;
  dont_initialize();
  SC_THREAD(watch_jobs);
  SC_THREAD(watch_interrupts);
  SC_THREAD(watch_mask);
}

std::uint32_t& RegisterBlock::stored(std::string_view name, unsigned word) {
  return words_[find_mmio_register(accelerator_.family, name)->offset / 4u + word];
}

std::uint32_t RegisterBlock::field(std::string_view name, std::string_view field) {
  const MmioRegisterRow& row = *find_mmio_register(accelerator_.family, name);
  const auto fields = row.fields();
  const auto found = std::ranges::find(fields, field, &MmioRegisterRow::Field::name);
  return words_[row.offset / 4u] >> found->lsb & ((1u << found->width) - 1);
}

void RegisterBlock::reset(std::uint32_t pending) {
  std::fill(words_.begin(), words_.end(), 0);
  for (const MmioRegisterRow& row : mmio_registers())
    if (row.families & family_set(accelerator_.family)) words_[row.offset / 4u] = row.reset;
  stored("CONFIG") = accelerator_.config_word;
  stored("PROT") = pending;
  counters_.reset();
  reset_until_ = now() + ticks(kResetCycles);
  irq_raised_ = pmu_irq_raised_ = end_reached_ = false;
  faults_ = 0;
  irq_history_ = 0;
  irq_changed_.notify(sc_core::SC_ZERO_TIME);
}

void RegisterBlock::reset_line() {
  job->cancel();
  reset(0);
}

void RegisterBlock::save(StateWriter& state) {
  for (const std::uint32_t word : words_) state.add(word);
  counters_.save(state);
  for (const bool flag : {irq_raised_, pmu_irq_raised_, end_reached_}) state.add(flag);
  state.add(faults_);
  state.add(irq_history_);
}

void RegisterBlock::restore(StateReader& state) {
  for (std::uint32_t& word : words_) word = state.next();
  counters_.restore(state);
  for (bool* flag : {&irq_raised_, &pmu_irq_raised_, &end_reached_}) *flag = state.next() != 0;
  faults_ = state.next();
  irq_history_ = static_cast<std::uint16_t>(state.next());
  reset_until_ = now();
  irq_changed_.notify(sc_core::SC_ZERO_TIME);
  look_.notify(sc_core::SC_ZERO_TIME);
}

std::uint32_t RegisterBlock::status() {
  std::uint32_t value = faults_ | std::uint32_t{irq_history_} << kIrqHistory;
  if (job->running()) value |= kRunning;
  if (irq_raised_) value |= kIrqRaised;
  if (in_reset()) value |= kInReset;
  if (end_reached_) value |= kEndReached;
  if (pmu_irq_raised_) value |= kPmuIrqRaised;
  return value;
}

AxiLimit RegisterBlock::limit(std::string_view name, int side) {
  const auto least = [&](std::string_view which, int most) {
    return std::min(static_cast<int>(field(name, which)) + 1, most);
  };
  return {least("max_outstanding_read_m1", side ? accelerator_.max_reads1 : accelerator_.max_reads0),
          least("max_outstanding_write_m1", side ? accelerator_.max_writes1 : accelerator_.max_writes0),
          kLeastBurst << std::min(field(name, "max_beats"), kBurstCodes)};
}

std::array<AxiLimit, 4> RegisterBlock::limits() {
  std::array<AxiLimit, 4> values;
  std::ranges::transform(rules_.limits, values.begin(), [&](const LimitRegister& r) { return limit(r.name, r.side); });
  return values;
}

void RegisterBlock::start_job() {
  JobRegisters registers;
  registers.queue_base = stored("QBASE") | std::uint64_t{stored("QBASE", 1)} << 32;
  registers.queue_bytes = stored("QSIZE");
  const auto side = [&](std::uint32_t selector) {
    if (rules_.memory_attributes.empty()) return static_cast<int>(selector);
    return stored(rules_.memory_attributes, selector) & 4 ? 2 : 0;
  };
  registers.mode.qconfig = side(stored("QCONFIG") & 3);
  for (unsigned r = 0; r < 8; ++r) {
    registers.region_bases[r] = stored("BASEP", 2 * r) | std::uint64_t{stored("BASEP", 2 * r + 1)} << 32;
    registers.mode.regioncfg[r] = side(stored("REGIONCFG") >> (2 * r) & 3);
  }
  registers.limits = limits();
  job->start(registers);
  look_.notify(sc_core::SC_ZERO_TIME);
}

void RegisterBlock::command(std::uint32_t value) {
  stored("CMD") = value & kClockAndPower;
  if (value & kClearIrq) irq_raised_ = pmu_irq_raised_ = false;
  irq_history_ &= static_cast<std::uint16_t>(~(value >> 16));
  if (value & kStop) job->stop();
  else if ((value & kRun) && !job->running() && !faults_) start_job();
  irq_changed_.notify(sc_core::SC_ZERO_TIME);
}

std::uint32_t RegisterBlock::read(unsigned offset) {
  const MmioRegisterRow* row = find_mmio_register(accelerator_.family, offset);
  if (!row) return 0;
  if (row->name == "STATUS") return status();
  if (in_reset()) return 0;
  const unsigned at = (offset - row->offset) / 4;
  if (CounterBlock::owns(*row)) return counters_.read(*row, at / row->words, at % row->words);
  if (row->name == "QREAD") return job->read_position();
  return words_[offset / 4];
}

void RegisterBlock::write(unsigned offset, std::uint32_t value) {
  const MmioRegisterRow* row = find_mmio_register(accelerator_.family, offset);
  if (!row || in_reset()) return;
  const unsigned at = (offset - row->offset) / 4;
  if (CounterBlock::owns(*row)) {
    counters_.write(*row, at / row->words, at % row->words, value);
    look_.notify(sc_core::SC_ZERO_TIME);
    return;
  }
  static constexpr std::string_view kReadOnly[] = {"ID", "STATUS", "QREAD", "PROT", "CONFIG"};
  if (std::ranges::find(kReadOnly, row->name) != std::end(kReadOnly)) return;
  if (row->name == "RESET") {
    job->cancel();
    return reset(value & 3);
  }
  if (row->name == "CMD") return command(value);
  if ((row->name == "QBASE" || row->name == "QSIZE") && !job->running()) end_reached_ = false;
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

void RegisterBlock::look_at_counters() {
  counters_.look(job->running(), job->counts());
  if (counters_.take_interrupt()) {
    pmu_irq_raised_ = true;
    irq_changed_.notify(sc_core::SC_ZERO_TIME);
  }
  look_.cancel();
  if (const auto next = counters_.next_look()) look_.notify(to_time(*next));
}

void RegisterBlock::drive_irq() { irq.write(irq_raised_ || pmu_irq_raised_); }

void RegisterBlock::interrupt(std::uint16_t mask) {
  irq_raised_ = true;
  irq_history_ |= mask;
  irq_changed_.notify(sc_core::SC_ZERO_TIME);
}

void RegisterBlock::watch_jobs() {
  for (;;) {
    sc_core::wait(job->finished());
    const JobStatus& status = job->status();
    end_reached_ = status.end_reached;
    faults_ |= fault_bits(status);
    if (status.interrupts) interrupt(status.irq_history);
    look_at_counters();
  }
}

void RegisterBlock::watch_interrupts() {
  for (;;) {
    sc_core::wait(job->interrupted());
    interrupt(job->take_interrupts());
  }
}

void RegisterBlock::watch_mask() {
  for (;;) {
    sc_core::wait(job->counts_changed());
    look_at_counters();
  }
}

}  // namespace macaw::npu::timed
