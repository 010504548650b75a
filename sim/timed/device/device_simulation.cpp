#include "sim/timed/device/device_simulation.hpp"

#include "sim/config/setup.hpp"
#include "sim/timed/bandwidth.hpp"
#include "sim/timed/context.hpp"
#include "sim/timed/device/npu_device.hpp"
#include "sim/timed/device/shared_bytes.hpp"

#include <fmt/format.h>

#include <tlm_utils/simple_initiator_socket.h>

namespace macaw::npu::timed {
namespace {

/// The side of the registers and of the interrupt line that is outside of the device.
class Outside : public sc_core::sc_module {
 public:
  tlm_utils::simple_initiator_socket<Outside> registers{"registers"};
  sc_core::sc_signal<bool> irq{"irq"};

  SC_HAS_PROCESS(Outside);
  explicit Outside(const sc_core::sc_module_name& name) : sc_core::sc_module(name) {
    SC_METHOD(interrupted);
    sensitive << irq.posedge_event();
    dont_initialize();
  }

 private:
  void interrupted() { Context::pause(); }
};

struct Parts {
  Parts(const Accelerator& accelerator, const Params& params, const std::array<MemoryTiming, 2>& timing,
        double clock_hz, SystemMemory& memory)
      : device("npu", accelerator, params, memory),
        memories(device.core, timing, params.sram_cap_share, clock_hz),
        sram_cap_share(params.sram_cap_share) {
    device.core.before_program = [this] { memories.restart(); };
    outside.registers.bind(device.registers.socket);
    device.registers.irq(outside.irq);
  }

  NpuDevice device;
  Memories memories;
  double sram_cap_share;
  Outside outside{"outside"};
};

class Simulation : public DeviceSimulation {
 public:
  Result<void> build(const Accelerator& accelerator, const Params& params, const std::array<MemoryTiming, 2>& timing,
                     double clock_hz, SystemMemory& memory) {
    const auto entered = context_.enter();
    parts_ = std::make_unique<Parts>(accelerator, params, timing, clock_hz, memory);
    return parts_->memories.check();
  }
  ~Simulation() override;

  [[nodiscard]] Result<std::uint32_t> read(unsigned offset) override { return access(false, offset, 0); }
  [[nodiscard]] Result<void> write(unsigned offset, std::uint32_t value) override;
  [[nodiscard]] Result<void> reset() override;
  [[nodiscard]] Result<std::vector<std::uint32_t>> save() override;
  [[nodiscard]] Result<void> restore(std::span<const std::uint32_t> words) override;
  [[nodiscard]] Result<void> advance(Cycles most) override;
  [[nodiscard]] Result<void> advance_to(Cycles cycle) override;
  [[nodiscard]] bool interrupt() const override { return parts_->outside.irq.read(); }
  [[nodiscard]] Cycles time() const override { return whole_cycles(time_); }
  [[nodiscard]] TimedResult last_job() const override;
  [[nodiscard]] std::optional<std::string> warning() const override;
  [[nodiscard]] const std::optional<Error>& fault() const override { return parts_->device.fault(); }

  [[nodiscard]] Result<void> step(Ticks span);
  void set_system(const SystemConfig& system) { system_ = system; }

 private:
  [[nodiscard]] Result<void> check_idle() const;
  [[nodiscard]] Result<std::uint32_t> access(bool write, unsigned offset, std::uint32_t value);

  Context context_;
  std::unique_ptr<Parts> parts_;
  std::optional<SystemConfig> system_;
  Ticks time_;
};

Simulation::~Simulation() {
  const auto entered = context_.enter();
  // An error would have been returned by the last step, and cannot be handled here.
  static_cast<void>(context_.end());
  parts_.reset();
}

// A pause between two clock edges ends at the next edge.
Result<void> Simulation::step(Ticks span) {
  MACAW_ASSIGN(time_, context_.advance(span));
  while (time_ % kCycle != Ticks()) {
    MACAW_ASSIGN(time_, context_.advance(kCycle - time_ % kCycle));
  }
  return {};
}

Result<std::uint32_t> Simulation::access(bool write, unsigned offset, std::uint32_t value) {
  const auto entered = context_.enter();
  tlm::tlm_generic_payload payload;
  payload.set_command(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
  payload.set_address(offset);
  payload.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
  payload.set_data_length(4);
  payload.set_streaming_width(4);
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  parts_->outside.registers->b_transport(payload, delay);
  if (payload.is_response_error())
    return fail(ErrorCode::kUsage, fmt::format("no register at {:#x}: a multiple of 4 below {:#x} was expected", offset,
                                               RegisterBlock::kSpaceBytes));
  // An interrupt pauses the simulation, but does not shorten the access.
  for (const Ticks end = time_ + ticks(delay); time_ < end;) MACAW_CHECK(step(end - time_));
  return value;
}

Result<void> Simulation::write(unsigned offset, std::uint32_t value) {
  MACAW_CHECK(access(true, offset, value));
  return {};
}

Result<void> Simulation::reset() {
  const auto entered = context_.enter();
  parts_->device.registers.reset_line();
  return step(kCycle);
}

Result<void> Simulation::check_idle() const {
  if (parts_->device.running())
    return fail(ErrorCode::kUsage, "a job runs; let time pass until STATUS says that it has ended");
  if (parts_->device.registers.in_reset()) return fail(ErrorCode::kUsage, "a reset is under way; let time pass first");
  return {};
}

Result<std::vector<std::uint32_t>> Simulation::save() {
  const auto entered = context_.enter();
  MACAW_CHECK(check_idle());
  return parts_->device.save();
}

Result<void> Simulation::restore(std::span<const std::uint32_t> words) {
  const auto entered = context_.enter();
  if (parts_->device.running()) MACAW_CHECK(check_idle());
  MACAW_CHECK(parts_->device.restore(words));
  return step(kCycle);
}

Result<void> Simulation::advance(Cycles most) {
  if (interrupt()) return {};
  return step(ticks(most));
}

Result<void> Simulation::advance_to(Cycles cycle) {
  // Longer than any run may take, but below the overflow of ticks.
  const Ticks until = ticks(std::min(cycle, Cycles(1'000'000'000'000'000)));
  return until > time_ ? step(until - time_) : Result<void>();
}

TimedResult Simulation::last_job() const {
  const NpuDevice::Spent& spent = parts_->device.last_job();
  const Accelerator& accelerator = parts_->device.accelerator();
  TimedResult result;
  result.pmu = spent.pmu;
  result.operations = spent.operations;
  const auto active = spent.pmu.counts.find("ETHOSU_PMU_NPU_ACTIVE");
  result.cycles = active == spent.pmu.counts.end() ? 0 : active->second;
  for (int region = 0; region < 8; ++region)
    result.region_side[static_cast<std::size_t>(region)] = spent.mode.side(region);
  if (!system_) return result;
  result.system = system_->name;
  result.clock_hz = system_->clock_hz;
  result.bytes_per_cycle = {
      bytes_per_cycle(accelerator, accelerator.ports0, system_->memory[0], parts_->sram_cap_share),
      bytes_per_cycle(accelerator, accelerator.ports1, system_->memory[1], 1)};
  return result;
}

std::optional<std::string> Simulation::warning() const {
  const NpuDevice::Spent& spent = parts_->device.last_job();
  return shared_bytes(spent.operations, spent.region_bases);
}

/// Elaboration binds the ports: registers can be accessed afterwards.
Result<std::unique_ptr<Simulation>> elaborated(const Accelerator& accelerator, const Params& params,
                                               const std::array<MemoryTiming, 2>& timing, double clock_hz,
                                               SystemMemory& memory) {
  auto simulation = std::make_unique<Simulation>();
  MACAW_CHECK(simulation->build(accelerator, params, timing, clock_hz, memory));
  MACAW_CHECK(simulation->step(Ticks()));
  return simulation;
}

}  // namespace

Result<std::unique_ptr<DeviceSimulation>> DeviceSimulation::create(const Accelerator& accelerator, const Params& params,
                                                                   const std::array<MemoryTiming, 2>& timing,
                                                                   SystemMemory& memory) {
  return elaborated(accelerator, params, timing, 1e9, memory);
}

Result<std::unique_ptr<DeviceSimulation>> DeviceSimulation::create(const Accelerator& accelerator,
                                                                   const std::string& system, SystemMemory& memory) {
  MACAW_ASSIGN(const Setup setup, resolve_setup(accelerator, {.system = system}));
  MACAW_ASSIGN(auto simulation,
               elaborated(accelerator, setup.params, setup.system.memory, setup.system.clock_hz, memory));
  simulation->set_system(setup.system);
  return simulation;
}

}  // namespace macaw::npu::timed
