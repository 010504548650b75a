#pragma once
#include "sim/sc/job.hpp"
#include "sim/sc/read_buffer.hpp"

namespace macaw::npu::sc {

/// U85: fetches the scales of OFM blocks, one block ahead of the output unit.
class ScaleReader : public sc_core::sc_module {
 public:
  sc_core::sc_port<sc_core::sc_fifo_in_if<JobRef>> blocks;
  sc_core::sc_port<sc_core::sc_fifo_out_if<Ticks>> scales;       ///< when those of a block are there
  sc_core::sc_vector<sc_core::sc_port<AxiMasterInterface>> axi;  ///< by side

  SC_HAS_PROCESS(ScaleReader);
  ScaleReader(const sc_core::sc_module_name& name, const CoreConfig& config);

 private:
  void run();

  const CoreConfig& config_;
  ReadBuffer buffer_;
};

}  // namespace macaw::npu::sc
