#include "sim/sc/u85/output_unit.hpp"

#include "sim/walk/rules.hpp"

#include <algorithm>

namespace macaw::npu::sc::u85 {
namespace {

constexpr Beats kSlice{16};
constexpr std::uint64_t kScaleBytes = 10;  // of a channel

}  // namespace

OutputUnit::OutputUnit(const sc_core::sc_module_name& name, const CoreConfig& config, StreamBuffer& stream, Pmu& pmu)
    : sc_core::sc_module(name), config_(config), stream_(stream), pmu_(pmu) {
  SC_THREAD(run);
}

void OutputUnit::turn_out(const JobRef& job, std::uint64_t done, std::uint64_t total, Ticks least) {
  KernelRun& run = *job->run;
  const Beats all_beats = config_.beats(job->block.writes);
  const auto cost = [&](std::uint64_t elements) {
    return ticks(static_cast<double>(elements) * run.output_per_element);
  };
  const std::uint64_t first = out_;
  if (done <= first) return;
  const Ticks work = cost(done) - cost(first);
  const Ticks start = now();
  const Ticks slack = start + work < least ? least - start - work : Ticks();  // spread over all slices
  while (out_ < done) {
    // Up to the element that fills the next slice.
    const Beats next_beats = std::min(all_beats, beats_ + kSlice);
    std::uint64_t until = done;
    if (all_beats > Beats()) until = std::min(done, (total * next_beats + all_beats - Beats(1)) / all_beats);
    until = std::max(until, out_ + 1);
    const Ticks busy = cost(until) - cost(out_);
    const auto idle = [&](std::uint64_t at) { return slack * (at - first) / (done - first); };
    activity_.begin(run.command);
    wait_for(busy + idle(until) - idle(out_));
    activity_.end();
    job->spend(&UnitTimes::output_unit, busy);
    pmu_.add(output_work(run.op), busy);
    run.computed = now();
    out_ = until;
    beats_ = all_beats * out_ / total;
    const Ticks ready = now() + ticks(config_.params.ao_latency);
    pmu_.stalled(Cause::kAoNoRoom, [&] { slices->write({job, beats_, out_ == total, ready}); });
  }
}

void OutputUnit::take_columns(const JobRef& job) {
  const Box& box = job->block.box;
  const std::uint64_t lanes = job->run->out_lanes;
  const auto pixels = std::uint64_t(box.h()) * std::uint64_t(box.w());
  const auto channels = std::uint64_t(box.c());
  const auto up = [&](std::uint64_t c) { return pixels * ((c + lanes - 1) / lanes * lanes); };
  const std::uint64_t count = std::max<std::uint64_t>(job->block.ublocks_c, 1);
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto column = pmu_.stalled(Cause::kAoNoAccumulators, [&] { return columns->read(); });
    // With room for one block only, its places are free for the next as they are taken.
    if (i == 0 && job->run->accumulators == 1) ram->release_accumulator();
    const std::uint64_t until = std::min(channels, (i + 1) * std::uint64_t(std::max(job->run->op.ublock.c, 1)));
    if (!job->block.scales.empty()) scales->wait_for(*job, until * kScaleBytes);
    const bool last = i + 1 == count;
    const std::uint64_t done = last ? up(channels) : std::min(up(until), up(channels) - 1);
    // Not before the MAC array has passed on the last micro-block.
    turn_out(job, done, up(channels), column.end + column.ublock);
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
    turn_out(job, part.elements, job->block.elements, {});
    last = part.last;
    // The MAC array passes the operands on, a micro-block per cycle.
    if (last) pmu_.add(Cause::kMacPassesOn, ticks(Cycles(part.step->ifm.mac.active())));
  }
}

void OutputUnit::run() {
  for (;;) {
    const JobRef job = blocks->read();
    out_ = 0;
    beats_ = {};
    if (one_step(job->run->op)) take_operands(job);
    else take_columns(job);
    if (!job->block.scales.empty()) scales->finish();
  }
}

}  // namespace macaw::npu::sc::u85
