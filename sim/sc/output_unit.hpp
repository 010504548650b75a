#pragma once
#include "sim/sc/u55_u65/shared_ram.hpp"

namespace macaw::npu::sc {

/// Part of an OFM block on its way to memory.
struct OutputSlice {
  JobRef job;
  std::uint64_t beats = 0;  ///< of the block's writes that are due once this slice is there, counted from its start
  bool last = false;
  Ticks ready = 0;  ///< not to be written before
};
inline std::ostream& operator<<(std::ostream& os, const OutputSlice& slice) { return os << slice.beats; }

/// Activation and output (AO): turns accumulators, or the operands of an elementwise operation, into OFM elements,
/// slice by slice. Waits for the block's accumulators or operands, and for room in the output buffer.
class OutputUnit : public sc_core::sc_module {
 public:
  sc_core::sc_port<sc_core::sc_fifo_in_if<JobRef>> blocks;
  sc_core::sc_port<sc_core::sc_fifo_in_if<JobRef>> accumulated;
  sc_core::sc_port<sc_core::sc_fifo_in_if<StepRef>> elementwise_steps;
  sc_core::sc_port<sc_core::sc_fifo_out_if<OutputSlice>> slices;
  sc_core::sc_port<SharedRamInterface> ram;

  SC_HAS_PROCESS(OutputUnit);
  OutputUnit(const sc_core::sc_module_name& name, const CoreConfig& config, Pmu& pmu);

  void trace(sc_core::sc_trace_file* file) const override { activity_.trace(file, name()); }

 private:
  void run();
  void put_out(const JobRef& job);

  const CoreConfig& config_;
  Pmu& pmu_;
  Activity activity_;
};

}  // namespace macaw::npu::sc
