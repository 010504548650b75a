#pragma once
#include "sim/datapath/core_state.hpp"
#include "sim/datapath/memory.hpp"
#include "sim/isa/parsed_stream.hpp"
#include "sim/timed/breakdown.hpp"
#include "sim/timed/device/faulting_access.hpp"
#include "sim/timed/device/held_writes.hpp"
#include "sim/timed/device/register_block.hpp"
#include "sim/timed/device/system_memory.hpp"
#include "sim/timed/top.hpp"

namespace macaw::npu::timed {

/// An NPU as software sees it: registers, an interrupt, and AXI ports for any memory model. A job runs the command
/// stream at QBASE with the regions at BASEP0..7 as they are when it starts; its time passes in the core, and the
/// results of an operation reach memory when it finishes.
class NpuDevice : public sc_core::sc_module, public JobInterface, private RegionAccess {
 private:
  CoreConfig config_;  // of the job; the units of the core refer to it

 public:
  SC_HAS_PROCESS(NpuDevice);
  NpuDevice(const sc_core::sc_module_name& name, const Accelerator& accelerator, const Params& params,
            SystemMemory& memory);

  Core core;  ///< memory is bound to the sockets of core.axi[side]
  RegisterBlock registers;

  void start(const JobRegisters& registers) override;
  void stop() override { core.command_processor.stop(); }
  void cancel() override;
  [[nodiscard]] bool running() const override { return core.running(); }
  [[nodiscard]] const JobStatus& status() const override { return status_; }
  [[nodiscard]] std::uint32_t read_position() const override { return core.command_processor.read_position(); }
  [[nodiscard]] const sc_core::sc_event& finished() const override { return finished_; }
  [[nodiscard]] const sc_core::sc_event& interrupted() const override { return core.command_processor.interrupted(); }
  [[nodiscard]] std::uint16_t take_interrupts() override { return core.command_processor.take_interrupts(); }
  [[nodiscard]] bool counts() const override { return core.command_processor.counts(); }
  [[nodiscard]] const sc_core::sc_event& counts_changed() const override {
    return core.command_processor.counts_changed();
  }
  /// The state of the device between two jobs: registers, counters, and the memory inside it. Neither may be called
  /// while a job runs.
  [[nodiscard]] std::vector<std::uint32_t> save();
  /// kMismatch: the state of a different accelerator.
  [[nodiscard]] Result<void> restore(std::span<const std::uint32_t> words);
  /// Why the last job ended early.
  [[nodiscard]] const std::optional<Error>& fault() const { return fault_; }
  /// Figures of the last job that ended by itself; times are relative to its start.
  struct Spent {
    std::vector<OperationTiming> operations;
    PmuCounters pmu;
    MemoryMode mode;
    std::array<std::uint64_t, 8> region_bases{};
  };
  [[nodiscard]] const Spent& last_job() const { return spent_; }
  [[nodiscard]] const Accelerator& accelerator() const { return config_.accelerator; }

 private:
  /// Computes the values of the stream in these bytes.
  [[nodiscard]] Program execute(std::span<const std::uint8_t> bytes, const MemoryMap& map);
  /// `index`: number of the operation among those of its kind.
  [[nodiscard]] Result<void> execute(const BlockOperation& op, const MemoryMap& map, std::size_t index);
  [[nodiscard]] Result<void> execute(const DmaOperation& op, const MemoryMap& map, std::size_t index);
  void before(int region, const ByteRange& range) override;
  [[nodiscard]] std::uint64_t address_of(int region) const {
    return config_.bases[static_cast<std::size_t>(region) + 1];
  }
  void set_fault(const FaultingAccess& access);
  void set_bus_fault(std::string message);
  void release_writes();
  void end_job();
  void keep_spent();

  SystemMemory& memory_;
  std::vector<std::uint8_t> internal_;
  CoreState state_;
  HeldWrites writes_;
  std::vector<std::uint32_t> words_;  ///< of the job
  std::optional<ParsedStream> stream_;
  std::vector<KernelRef> kernels_;  ///< kernels that were issued
  std::vector<DmaRef> dmas_;
  JobStatus status_;
  std::optional<Error> fault_;
  std::vector<OperationTiming> operations_;
  std::optional<Breakdown> breakdown_;
  PmuCounters counted_before_;
  Spent spent_;
  sc_core::sc_event finished_;
};

}  // namespace macaw::npu::timed
