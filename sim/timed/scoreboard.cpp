#include "sim/timed/scoreboard.hpp"

namespace macaw::npu::timed {

Scoreboard::Scoreboard(const sc_core::sc_module_name& name) : sc_core::sc_module(name), access("access") {
  access.bind(*this);
}

void Scoreboard::kernel_issued(KernelRun& run) {
  run.unfinished = std::make_shared<std::size_t>(1 + run.chained.size());
  run.progress = &progress_;
  for (const auto& chained : run.chained) {
    chained->unfinished = run.unfinished;
    chained->progress = &progress_;
  }
  ++kernels_;
  unwritten_ += 1 + run.chained.size();
}

void Scoreboard::block_written(Job& job) {
  KernelRun& run = *job.run;
  if (++run.written < run.blocks) return;
  --unwritten_;
  written_.notify();
}

void Scoreboard::block_finished(Job& job) {
  KernelRun& run = *job.run;
  run.finish_times[run.finished % KernelRun::kFinishTimes] = now();
  ++run.finished;
  run.end = now();
  if (run.keep_blocks) run.records.push_back({job.start.value_or(run.issued), now(), job.busy});
  progress_.notify();
  if (run.finished == run.blocks) {
    // It is no longer needed, and would otherwise keep the whole stream alive as a chain.
    run.previous.reset();
    operation_finished_.notify();
    if (--*run.unfinished > 0) return;
    --kernels_;
    kernels_changed_.notify();
  }
}

void Scoreboard::dma_finished(DmaRun& run) {
  run.end = now();
  run.finished = true;
  --dmas_;
  dmas_changed_.notify();
  operation_finished_.notify();
}

void Scoreboard::wait_kernels(std::uint64_t count) {
  while (kernels_ > count) sc_core::wait(kernels_changed_);
}

void Scoreboard::wait_written() {
  while (unwritten_ > 0) sc_core::wait(written_);
}

void Scoreboard::wait_dmas(std::uint64_t count) {
  while (dmas_ > count) sc_core::wait(dmas_changed_);
}

}  // namespace macaw::npu::timed
