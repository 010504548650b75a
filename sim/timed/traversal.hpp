#pragma once
#include "sim/timed/core_config.hpp"
#include "sim/timed/job.hpp"

namespace macaw::npu::timed {

/// Walks the issued operations block by block and passes every unit its part: steps to the IFM loader and, where
/// weights or scales are consumed, to the weight decoder; OFM blocks to the output unit. Waits for space in their
/// queues, and on U85 for the start of an operation, before which nothing is fetched for it. Chained operations
/// alternate block by block.
class Traversal : public sc_core::sc_module {
 public:
  sc_core::sc_port<sc_core::sc_fifo_in_if<KernelRef>> kernels;
  sc_core::sc_port<sc_core::sc_fifo_out_if<IfmStepRef>> ifm_steps;
  sc_core::sc_port<sc_core::sc_fifo_out_if<IfmStepRef>> weight_steps;
  sc_core::sc_port<sc_core::sc_fifo_out_if<JobRef>> blocks;
  sc_core::sc_port<sc_core::sc_fifo_out_if<JobRef>, 0, sc_core::SC_ZERO_OR_MORE_BOUND> scaled_blocks;  ///< U85

  SC_HAS_PROCESS(Traversal);
  Traversal(const sc_core::sc_module_name& name, const CoreConfig& config);

 private:
  struct Member {
    KernelRef run;
    BlockWalk walk;
  };

  void run();
  [[nodiscard]] bool hand_out_block(Member& member);

  const CoreConfig& config_;
  Pool<Job> jobs_;
  Pool<IfmStep> steps_;
};

}  // namespace macaw::npu::timed
