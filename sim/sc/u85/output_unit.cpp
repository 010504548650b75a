#include "sim/sc/u85/output_unit.hpp"

#include "sim/walk/rules.hpp"

#include <algorithm>

namespace macaw::npu::sc::u85 {
namespace {

constexpr Beats kSlice{16};
constexpr std::uint64_t kScaleBytes = 10;  // of a channel

/// Elements that the output unit turns out for the first `channels` of a block.
std::uint64_t elements(const Job& job, std::uint64_t channels) {
  const std::uint64_t lanes = job.run->out_lanes;
  return static_cast<std::uint64_t>(job.block.box.h()) * static_cast<std::uint64_t>(job.block.box.w()) *
         ((channels + lanes - 1) / lanes * lanes);
}

}  // namespace

OutputUnit::OutputUnit(const sc_core::sc_module_name& name, const CoreConfig& config, StreamBuffer& stream, Pmu& pmu)
    : sc_core::sc_module(name), config_(config), stream_(stream), pmu_(pmu), latency_(ticks(config.params.ao_latency)) {
  SC_THREAD(run);
}

void OutputUnit::turn_out(const JobRef& job, std::uint64_t done, std::uint64_t total, bool whole_slices) {
  KernelRun& run = *job->run;
  while (out_ < done) {
    // Up to the element that fills the next slice.
    const Beats next_beats = std::min(all_beats_, beats_ + kSlice);
    std::uint64_t until = done;
    if (all_beats_ > Beats()) until = std::min(done, (total * next_beats + all_beats_ - Beats(1)) / all_beats_);
    until = std::max(until, out_ + 1);
    const Ticks worked = ticks(static_cast<double>(until) * run.output_per_element);
    const Ticks busy = worked - worked_;
    activity_.begin(run.command);
    wait_for(busy);
    activity_.end();
    job->spend(&UnitTimes::output_unit, busy);
    pmu_.add(output_work(run.op), busy);
    run.computed = now();
    out_ = until;
    worked_ = worked;
    const Beats due = all_beats_ * out_ / total;
    if (whole_slices && due < next_beats) return;
    beats_ = due;
    const Ticks ready = now() + latency_;
    pmu_.stalled(Cause::kAoNoRoom, [&] { slices->write({job, beats_, out_ == total, ready}); });
  }
}

// In the order in which it is written, a brick after the other.
void OutputUnit::take_row(const AccumulatedRow& accumulated) {
  const JobRef& job = accumulated.job;
  const Bands bands(job->block, job->run->op);
  const auto channels = static_cast<std::uint64_t>(job->block.box.c());
  const std::uint64_t c0 = bands.channel(accumulated.column);
  const std::uint64_t c1 =
      std::min(channels, bands.channel(accumulated.column + bands.columns_from(accumulated.column)));
  const std::uint64_t before = elements(*job, c0), band = elements(*job, c1) - before;
  const auto until = [&](std::uint64_t rows) { return before + band * bands.lines_until(rows) / bands.lines(); };
  const std::uint64_t begin = until(accumulated.row), end = until(accumulated.row + 1);
  const bool first = accumulated.row == 0, last = accumulated.row + 1 == bands.rows();
  for (std::uint64_t c = c0; c < c1;) {
    c = std::min(c1, c + Bands::kBrick);
    if (first && !job->block.scales.empty()) scales->wait_for(*job, c * kScaleBytes);
    turn_out(job, begin + (end - begin) * (c - c0) / (c1 - c0), elements(*job, channels), !first && !last);
  }
}

void OutputUnit::take_accumulators(const JobRef& job) {
  const std::uint64_t parts = Bands(job->block, job->run->op).parts();
  for (std::uint64_t i = 0; i < parts; ++i) {
    const auto row = pmu_.stalled(Cause::kAoNoAccumulators, [&] { return accumulated->read(); });
    // With room for one block only, its places are free for the next as they are taken.
    if (i == 0 && job->run->accumulators == 1) ram->release_accumulator();
    take_row(row);
  }
  if (job->run->accumulators != 1) ram->release_accumulator();
  wait_for(ticks(job->run->output_start));
}

void OutputUnit::take_operands(const JobRef& job) {
  for (bool last = false; !last;) {
    const OperandPart part = pmu_.stalled(Cause::kAoNoOperands, [&] {
      OperandPart next = operands->read();
      wait_until(next.arrived);
      return next;
    });
    stream_.release(part.words);
    turn_out(job, part.elements, job->block.elements);
    last = part.last;
    // The MAC array passes the operands on, a micro-block per cycle.
    if (last) pmu_.add(Cause::kMacPassesOn, ticks(Cycles(part.step->ifm.mac.active())));
  }
}

void OutputUnit::run() {
  for (;;) {
    const JobRef job = blocks->read();
    out_ = 0;
    worked_ = {};
    beats_ = {};
    all_beats_ = config_.beats(job->block.writes);
    if (one_step(job->run->op)) take_operands(job);
    else take_accumulators(job);
    if (!job->block.scales.empty()) scales->finish();
  }
}

}  // namespace macaw::npu::sc::u85
