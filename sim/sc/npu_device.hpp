#pragma once
#include "sim/datapath/core_state.hpp"
#include "sim/datapath/memory.hpp"
#include "sim/sc/register_block.hpp"
#include "sim/sc/top.hpp"

namespace macaw::npu::sc {

/// The bytes behind the bus addresses, where values live. Time and transactions pass the TLM sockets of the core.
class SystemMemory {
 public:
  virtual ~SystemMemory() = default;
  /// From `address` to the end of the memory that it lies in; empty where there is none.
  [[nodiscard]] virtual std::span<std::uint8_t> from(std::uint64_t address) = 0;
};

/// An NPU as software sees it: registers, an interrupt, and AXI ports for any memory model. A job runs the command
/// stream at QBASE with the regions at BASEP0..7; its values are computed when it starts, its time passes in the core.
class NpuDevice : public sc_core::sc_module, public JobInterface {
 private:
  CoreConfig config_;  // of the job; the units of the core refer to it

 public:
  NpuDevice(const sc_core::sc_module_name& name, const Accelerator& accelerator, const Params& params,
            SystemMemory& memory);

  Core core;  ///< memory is bound to the sockets of core.axi[side]
  RegisterBlock registers;

  void start(const JobRegisters& registers) override;
  [[nodiscard]] bool running() const override { return core.command_processor.running(); }
  [[nodiscard]] const JobStatus& status() const override { return status_; }
  [[nodiscard]] std::uint32_t read_position() const override { return core.command_processor.read_bytes(); }
  [[nodiscard]] const sc_core::sc_event& finished() const override { return core.command_processor.finished(); }
  [[nodiscard]] const sc_core::sc_event& interrupted() const override { return core.command_processor.interrupted(); }
  [[nodiscard]] std::uint16_t take_interrupts() override { return core.command_processor.take_interrupts(); }
  /// Why the last job ended early.
  [[nodiscard]] const std::optional<Error>& fault() const { return fault_; }

 private:
  void execute(std::span<const std::uint32_t> words, const MemoryMap& map, Program& program);

  SystemMemory& memory_;
  std::vector<std::uint8_t> internal_;
  CoreState state_;
  JobStatus status_;
  std::optional<Error> fault_;
};

}  // namespace macaw::npu::sc
