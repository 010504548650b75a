#pragma once
#include "sim/timed/activity.hpp"
#include "sim/timed/u55_u65/shared_ram.hpp"

namespace macaw::npu::timed::u55_u65 {

/// U55 and U65: multiplies step by step. Waits for an accumulator buffer before the first step of an OFM block, for the
/// step's IFM block, and for each weight block; frees the IFM block after the step and passes the OFM block on after
/// the last.
class MacArray : public sc_core::sc_module, public Restartable {
 public:
  sc_core::sc_port<sc_core::sc_fifo_in_if<IfmStepRef>> steps;
  sc_core::sc_port<sc_core::sc_fifo_in_if<std::uint64_t>> weight_blocks;
  sc_core::sc_port<sc_core::sc_fifo_out_if<JobRef>> accumulated;
  sc_core::sc_port<SharedRamInterface> ram;

  SC_HAS_PROCESS(MacArray);
  MacArray(const sc_core::sc_module_name& name, Pmu& pmu);

  void restart() override { decoded_ = 0; }

 private:
  void run();
  void multiply(IfmStep& step);

  Pmu& pmu_;
  std::uint64_t decoded_ = 0;  ///< weight blocks in the buffer
  Activity activity_;
};

}  // namespace macaw::npu::timed::u55_u65
