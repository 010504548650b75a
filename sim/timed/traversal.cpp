#include "sim/timed/traversal.hpp"

#include "sim/timed/generation.hpp"

namespace macaw::npu::timed {

Traversal::Traversal(const sc_core::sc_module_name& name, const CoreConfig& config)
    : sc_core::sc_module(name), config_(config) {
  SC_THREAD(run);
  set_stack_size(256 * 1024);
}

bool Traversal::hand_out_block(Member& member) {
  JobRef job = jobs_.take();
  if (!member.walk.next_block(job->block)) return false;
  KernelRun& run = *member.run;
  const auto beat_bytes = static_cast<unsigned>(config_.accelerator.beat_bytes);
  if (run.keep_totals) run.totals.add(job->block, beat_bytes);
  job->run = member.run;
  blocks->write(job);
  const bool own_scales = scaled_blocks.size() > 0;
  if (own_scales && !job->block.scales.empty()) scaled_blocks->write(job);
  IfmStepRef step = steps_.take();
  while (member.walk.next_step(step->ifm)) {
    if (run.keep_totals) run.totals.add(step->ifm, beat_bytes);
    step->job = job;
    step->slot = -1;
    // Pooling has no weights, but can have scales.
    const bool scales = !own_scales && step->ifm.first && !job->block.scales.empty();
    if (decodes_weights(run.op) || scales) weight_steps->write(step);
    ifm_steps->write(step);
    step = steps_.take();
  }
  return true;
}

void Traversal::run() {
  for (;;) {
    const KernelRef head = kernels->read();
    if (config_.generation.rules.fetches_after_start) wait_until(head->issued + ticks(config_.params.kernel_start));
    std::vector<Member> members;
    const auto add = [&](const KernelRef& run) {
      members.push_back({run, std::move(*run->walk)});
      run->walk.reset();
    };
    add(head);
    for (const KernelRef& run : head->chained) add(run);
    for (bool more = true; more;) {
      more = false;
      for (Member& member : members) more |= hand_out_block(member);
    }
  }
}

}  // namespace macaw::npu::timed
