#pragma once
#include "sim/sc/job.hpp"

namespace macaw::npu::sc {

/// Walks the issued operations block by block and hands every unit its part: steps to the IFM loader and, where weights
/// or scales are consumed, to the weight decoder; OFM blocks to the output unit. Waits for space in their queues only.
class Traversal : public sc_core::sc_module {
 public:
  sc_core::sc_port<sc_core::sc_fifo_in_if<KernelRef>> kernels;
  sc_core::sc_port<sc_core::sc_fifo_out_if<StepRef>> ifm_steps;
  sc_core::sc_port<sc_core::sc_fifo_out_if<StepRef>> weight_steps;
  sc_core::sc_port<sc_core::sc_fifo_out_if<JobRef>> blocks;

  SC_HAS_PROCESS(Traversal);
  explicit Traversal(const sc_core::sc_module_name& name);

 private:
  void run();

  Pool<Job> jobs_;
  Pool<Step> steps_;
};

}  // namespace macaw::npu::sc
