#pragma once
#include "sim/timed/activity.hpp"
#include "sim/timed/u55_u65/shared_ram.hpp"

namespace macaw::npu::timed::u55_u65 {

/// U55 and U65: activation and output (AO) turns accumulators, or the operands of an elementwise operation, into OFM
/// elements, slice by slice. Waits for the block's accumulators or operands, and for room in the output buffer.
class OutputUnit : public sc_core::sc_module {
 public:
  sc_core::sc_port<sc_core::sc_fifo_in_if<JobRef>> blocks;
  sc_core::sc_port<sc_core::sc_fifo_in_if<JobRef>> accumulated;
  sc_core::sc_port<sc_core::sc_fifo_in_if<IfmStepRef>> elementwise_steps;
  sc_core::sc_port<sc_core::sc_fifo_out_if<OutputSlice>> slices;
  sc_core::sc_port<SharedRamInterface> ram;

  SC_HAS_PROCESS(OutputUnit);
  OutputUnit(const sc_core::sc_module_name& name, const CoreConfig& config, Pmu& pmu);

 private:
  void run();
  void put_out(const JobRef& job);

  const CoreConfig& config_;
  Pmu& pmu_;
  Activity activity_;
};

}  // namespace macaw::npu::timed::u55_u65
