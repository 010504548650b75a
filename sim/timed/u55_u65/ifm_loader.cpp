#include "sim/timed/u55_u65/ifm_loader.hpp"

#include "sim/timed/blockdep.hpp"
#include "sim/timed/transaction_size.hpp"

#include <algorithm>

namespace macaw::npu::timed::u55_u65 {

IfmLoader::IfmLoader(const sc_core::sc_module_name& name, const CoreConfig& config, Pmu& pmu)
    : sc_core::sc_module(name), axi("axi", 2), config_(config), pmu_(pmu) {
  SC_THREAD(run);
}

void IfmLoader::fetch(AxiRequest& request, BurstCursor& cursor, const TransferList& transfers) {
  request.beats = {};
  if (!transfers.empty()) {
    const int side = config_.side(transfers[0]);
    start_cursor(cursor, config_, {transfers.begin(), transfers.size()});
    request.master = Master::kIfm;
    request.cursor = &cursor;
    request.beats = config_.beats(transfers);
    request.pace = pace(config_.params.ifm_fill_beat);
    request.last = true;
    axi[static_cast<std::size_t>(side)]->post(request);
  }
}

void IfmLoader::run() {
  for (;;) {
    const IfmStepRef step = steps->read();
    Job& job = *step->job;
    KernelRun& run = *job.run;
    if (step->ifm.first && job.block.index == 0) pmu_.stalled(Cause::kShramLayout, [&] { ram->lay_out(run); });
    if (step->ifm.first) wait_for_previous(job, Ticks(), pmu_);
    if (!run.start) run.start = now();
    if (!job.start) job.start = now();
    IfmSlot* fetched = nullptr;
    Ticks since;
    if (step->ifm.fetched) {
      step->slot = ram->claim_ifm(run, step->ifm.box);
      since = now();
      activity_.begin(run.command);
      fetched = &ram->ifm(step->slot);
      fetch(fetched->ifm, fetched->ifm_bursts, step->ifm.reads);
      fetch(fetched->ifm2, fetched->ifm2_bursts, step->ifm.reads2);
    } else {
      step->slot = ram->find_ifm(run, step->ifm.box);
    }
    if (step->slot >= 0) ram->add_ifm_user(step->slot);
    (run.op.kind == OpKind::kElementwise ? output_steps : mac_steps)->write(step);
    if (fetched) {
      fetched->ifm.wait_issued();
      fetched->ifm2.wait_issued();
      activity_.end();
      job.spend(&UnitTimes::ifm_read, now() - since);
    }
  }
}

}  // namespace macaw::npu::timed::u55_u65
