#include "sim/timed/u85/output_unit.hpp"

#include "sim/blocks/rules.hpp"

#include <algorithm>

namespace macaw::npu::timed::u85 {
namespace {

constexpr Beats kSlice{16};
constexpr std::uint64_t kScaleBytes = 10;  // of a channel

/// Elements that the output unit produces for the first `channels` of a block.
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
    owed_ += worked - worked_;
    out_ = until;
    worked_ = worked;
    const Beats due = all_beats_ * out_ / total;
    if (whole_slices && due < next_beats) return;
    const Ticks filled = now() + owed_;
    beats_ = due;
    const OutputSlice slice{job, beats_, out_ == total, filled + latency_};
    if (may_run_ahead() && slices->write_ahead(slice, filled)) continue;
    const Ticks finished = finish_work(*job);
    wait_for(finished - now());
    pmu_.stalled(Cause::kAoNoRoom, [&] { slices->write(slice); });
  }
}

Ticks OutputUnit::finish_work(Job& job) {
  const Ticks done = now() + owed_;
  if (owed_ == Ticks()) return done;
  KernelRun& run = *job.run;
  activity_.begin(run.command);
  if (!may_run_ahead()) wait_for(owed_);
  activity_.end(done);
  job.spend(&UnitTimes::output_unit, owed_);
  pmu_.add(output_work(run.op), owed_);
  run.computed = done;
  owed_ = {};
  return done;
}

void OutputUnit::wait_for_row(Job& job, Ticks done) {
  if (done <= now() + owed_) return;
  const Ticks since = finish_work(job);
  pmu_.stalled(Cause::kAoNoAccumulators, since, [&] { wait_until(done); });
}

// Processes elements in the order in which they are written, one brick after the other.
void OutputUnit::take_row(const AccumulatedRows& rows, const Bands& bands, std::uint64_t row) {
  const JobRef& job = rows.job;
  const auto channels = static_cast<std::uint64_t>(job->block.box.c());
  const std::uint64_t c0 = bands.channel(rows.column);
  const std::uint64_t c1 = std::min(channels, bands.channel(rows.column + bands.columns_from(rows.column)));
  const std::uint64_t before = elements(*job, c0), band = elements(*job, c1) - before;
  const auto until = [&](std::uint64_t end) { return before + band * bands.lines_until(end) / bands.lines(); };
  const std::uint64_t begin = until(row), end = until(row + 1);
  const bool first = row == 0, last = row + 1 == bands.rows();
  for (std::uint64_t c = c0; c < c1;) {
    c = std::min(c1, c + Bands::kBrick);
    const std::uint64_t scale_bytes = c * kScaleBytes;
    if (first && !job->block.scales.empty() && !scales->has(*job, scale_bytes, now() + owed_)) {
      catch_up(*job);
      scales->wait_for(*job, scale_bytes);
    }
    if (first && !job->block.scales.empty()) scales->release(*job, scale_bytes, now() + owed_);
    turn_out(job, begin + (end - begin) * (c - c0) / (c1 - c0), elements(*job, channels), !first && !last);
  }
}

void OutputUnit::take_accumulators(const JobRef& job) {
  const Bands bands(job->block, job->run->op);
  AccumulatedRows rows;
  for (std::uint64_t part = 0, row = 0; part < bands.parts(); ++part, ++row) {
    if (row == rows.end) {
      if (!accumulated->take_ahead(rows, now() + owed_)) {
        const Ticks since = finish_work(*job);
        pmu_.stalled(Cause::kAoNoAccumulators, since, [&] { accumulated->read_from(rows, since); });
      }
      row = rows.first;
    }
    wait_for_row(*job, rows.done(row));
    // With room for only one block, its places become free for the next block as they are read.
    if (part == 0 && job->run->accumulators == 1) ram->release_accumulator();
    take_row(rows, bands, row);
  }
  const Ticks done = finish_work(*job), start = ticks(job->run->output_start);
  if (job->run->accumulators != 1 || start == Ticks()) wait_until(done);
  if (job->run->accumulators != 1) ram->release_accumulator();
  wait_for(done + start - now());
}

void OutputUnit::take_operands(const JobRef& job) {
  for (bool last = false; !last;) {
    const OperandPart part = pmu_.stalled(Cause::kAoNoOperands, [&] { return operands->read(); });
    stream_.release(part.words);
    turn_out(job, part.elements, job->block.elements);
    catch_up(*job);
    last = part.last;
    // The MAC array passes the operands on, a micro-block per cycle.
    if (last) pmu_.add(Cause::kMacPassesOn, ticks(Cycles(part.step->ifm.mac.active())));
  }
}

void OutputUnit::run() {
  for (;;) {
    const JobRef job = blocks->read();
    out_ = 0;
    worked_ = owed_ = {};
    beats_ = {};
    all_beats_ = config_.beats(job->block.writes);
    if (one_step(job->run->op)) take_operands(job);
    else take_accumulators(job);
    if (!job->block.scales.empty()) scales->finish(*job);
  }
}

}  // namespace macaw::npu::timed::u85
