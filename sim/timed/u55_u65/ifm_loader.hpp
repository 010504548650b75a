#pragma once
#include "sim/timed/activity.hpp"
#include "sim/timed/u55_u65/shared_ram.hpp"

namespace macaw::npu::timed::u55_u65 {

/// U55 and U65: fetches IFM blocks into the slots of the shared RAM and passes the steps on in order. Waits for a
/// different SHRAM layout before the first step of an operation, for BLOCKDEP before the first step of an OFM block,
/// for a free slot, and until its reads have been issued.
class IfmLoader : public sc_core::sc_module {
 public:
  sc_core::sc_port<sc_core::sc_fifo_in_if<IfmStepRef>> steps;
  sc_core::sc_port<sc_core::sc_fifo_out_if<IfmStepRef>> mac_steps;     ///< convolution, depthwise, pooling
  sc_core::sc_port<sc_core::sc_fifo_out_if<IfmStepRef>> output_steps;  ///< elementwise: straight to the output unit
  sc_core::sc_port<SharedRamInterface> ram;
  sc_core::sc_vector<sc_core::sc_port<AxiMasterInterface>> axi;  ///< by side

  SC_HAS_PROCESS(IfmLoader);
  IfmLoader(const sc_core::sc_module_name& name, const CoreConfig& config, Pmu& pmu);

 private:
  void run();
  void fetch(AxiRequest& request, BurstCursor& cursor, const TransferList& transfers);

  const CoreConfig& config_;
  Pmu& pmu_;
  Activity activity_;
};

}  // namespace macaw::npu::timed::u55_u65
