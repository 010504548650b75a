#include "sim/sc/traversal.hpp"

namespace macaw::npu::sc {

Traversal::Traversal(const sc_core::sc_module_name& name) : sc_core::sc_module(name) {
  SC_THREAD(run);
  set_stack_size(256 * 1024);
}

void Traversal::run() {
  for (;;) {
    const KernelRef run = kernels->read();
    BlockWalk walk = std::move(*run->walk);
    run->walk.reset();
    JobRef job = jobs_.take();
    while (walk.next_block(job->block)) {
      job->run = run;
      blocks->write(job);
      StepRef step = steps_.take();
      while (walk.next_step(step->ifm)) {
        step->job = job;
        step->slot = -1;
        // Pooling has no weights, but can have scales.
        if (step->ifm.mac.uses_weights || (step->ifm.first && !job->block.scales.empty())) weight_steps->write(step);
        ifm_steps->write(step);
        step = steps_.take();
      }
      job = jobs_.take();
    }
  }
}

}  // namespace macaw::npu::sc
