#pragma once
#include "sim/sc/context.hpp"
#include "sim/sc/npu_device.hpp"

namespace macaw::npu::sc {

/// A device in a simulation of its own, stepped from outside: its registers are accessed between steps, its memories
/// are those of a system. Any number of them live side by side in a process; they share nothing but the turn (Context).
class DeviceSimulation {
 public:
  /// `memory` outlives it. kUnsupported: a report of the SystemC kernel. kUsage, here and in the other calls: called by
  /// a process of a simulation that runs.
  [[nodiscard]] static Result<std::unique_ptr<DeviceSimulation>> create(const Accelerator& accelerator,
                                                                        const Params& params,
                                                                        const std::array<MemoryTiming, 2>& timing,
                                                                        SystemMemory& memory);
  /// With the constants and memories of a system, by name or path; empty: the accelerator's default. Errors of
  /// resolve_setup() besides.
  [[nodiscard]] static Result<std::unique_ptr<DeviceSimulation>> create(const Accelerator& accelerator,
                                                                        const std::string& system,
                                                                        SystemMemory& memory);
  ~DeviceSimulation();
  DeviceSimulation(const DeviceSimulation&) = delete;
  DeviceSimulation& operator=(const DeviceSimulation&) = delete;

  /// An aligned 32-bit access to the register at a byte offset (sim/isa/registers.def); it takes a cycle. kUsage: the
  /// offset is not a multiple of 4, or is behind the registers.
  [[nodiscard]] Result<std::uint32_t> read(unsigned offset);
  [[nodiscard]] Result<void> write(unsigned offset, std::uint32_t value);

  /// Lets time pass until the interrupt is raised, `most` cycles at most; none if it is raised already.
  [[nodiscard]] Result<void> advance(Cycles most);
  /// Lets time pass up to a cycle, or until the interrupt rises on the way; one that is raised already does not count.
  [[nodiscard]] Result<void> advance_to(Cycles cycle);
  [[nodiscard]] bool interrupt() const;
  /// Cycles since the start; a fraction counts as a whole one.
  [[nodiscard]] Cycles time() const { return whole_cycles(time_); }
  /// What the last job spent (NpuDevice::last_job), and what there is to say about it; without the system, if there is
  /// none by name.
  [[nodiscard]] TimedResult last_job() const;
  /// What is doubtful about it (shared_bytes).
  [[nodiscard]] std::optional<std::string> warning() const;
  /// Why the last job ended early.
  [[nodiscard]] const std::optional<Error>& fault() const;

 private:
  struct Parts;

  DeviceSimulation() = default;
  [[nodiscard]] Result<std::uint32_t> access(bool write, unsigned offset, std::uint32_t value);
  [[nodiscard]] Result<void> step(Ticks span);

  Context context_;
  std::unique_ptr<Parts> parts_;
  std::optional<SystemConfig> system_;
  Ticks time_;
};

}  // namespace macaw::npu::sc
