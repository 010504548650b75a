#pragma once
#include "sim/config/params.hpp"
#include "sim/config/system_config.hpp"
#include "sim/timed/device/system_memory.hpp"

#include <macaw/npu/timed_simulator.hpp>
#include <macaw/units.hpp>

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace macaw::npu::timed {

/// A device in a simulation of its own, stepped from outside: its registers are accessed between steps, its memories
/// are those of a system. Any number of them can coexist in a process; they share only the lock of Context. Callers do
/// not need SystemC.
class DeviceSimulation {
 public:
  /// `memory` must outlive it. kUnsupported: a report of the SystemC kernel. kUsage, here and in the other calls:
  /// called by a process of a running simulation.
  [[nodiscard]] static Result<std::unique_ptr<DeviceSimulation>> create(const Accelerator& accelerator,
                                                                        const Params& params,
                                                                        const std::array<MemoryTiming, 2>& timing,
                                                                        SystemMemory& memory);
  /// With the constants and memories of a system, by name or path; empty: the accelerator's default. Additional errors:
  /// those of resolve_setup().
  [[nodiscard]] static Result<std::unique_ptr<DeviceSimulation>> create(const Accelerator& accelerator,
                                                                        const std::string& system,
                                                                        SystemMemory& memory);
  virtual ~DeviceSimulation() = default;
  DeviceSimulation(const DeviceSimulation&) = delete;
  DeviceSimulation& operator=(const DeviceSimulation&) = delete;

  /// An aligned 32-bit access to the register at a byte offset (sim/isa/registers.def); it takes a cycle. kUsage: the
  /// offset is not a multiple of 4, or is beyond the registers.
  [[nodiscard]] virtual Result<std::uint32_t> read(unsigned offset) = 0;
  [[nodiscard]] virtual Result<void> write(unsigned offset, std::uint32_t value) = 0;

  /// Pulls the reset line: aborts a job and resets the registers. Time continues.
  [[nodiscard]] virtual Result<void> reset() = 0;
  /// NpuDevice::save() and restore(). kUsage: a job is running, or a reset is in progress.
  [[nodiscard]] virtual Result<std::vector<std::uint32_t>> save() = 0;
  [[nodiscard]] virtual Result<void> restore(std::span<const std::uint32_t> words) = 0;

  /// Lets time pass until the interrupt is raised, at most `most` cycles; none if it is raised already.
  [[nodiscard]] virtual Result<void> advance(Cycles most) = 0;
  /// Lets time pass up to a cycle, or until the interrupt rises on the way; one that is raised already is ignored.
  [[nodiscard]] virtual Result<void> advance_to(Cycles cycle) = 0;
  [[nodiscard]] virtual bool interrupt() const = 0;
  /// Cycles since the start, rounded up.
  [[nodiscard]] virtual Cycles time() const = 0;
  /// Figures of the last job (NpuDevice::last_job) and remarks about it; without the system if none was named.
  [[nodiscard]] virtual TimedResult last_job() const = 0;
  /// Remarks about uncertain results (shared_bytes).
  [[nodiscard]] virtual std::optional<std::string> warning() const = 0;
  /// Why the last job ended early.
  [[nodiscard]] virtual const std::optional<Error>& fault() const = 0;

 protected:
  DeviceSimulation() = default;
};

}  // namespace macaw::npu::timed
