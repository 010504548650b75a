#include "sim/timed/u85/ifm_loader.hpp"

#include "sim/blocks/rules.hpp"
#include "sim/timed/blockdep.hpp"
#include "sim/timed/transaction_size.hpp"

#include <algorithm>

namespace macaw::npu::timed::u85 {
namespace {

constexpr Beats kPart{16};  // operands requested at a time; a burst of 256 bytes

/// RAM occupied by an IFM block: channels are rounded up to multiples of 8.
std::uint64_t ram_bytes(const Box& box, const FeatureMap& map) {
  return std::uint64_t(box.h()) * std::uint64_t(box.w()) * ((std::uint64_t(box.c()) + 7) / 8 * 8) *
         std::uint64_t(map.bytes());
}

}  // namespace

IfmLoader::IfmLoader(const sc_core::sc_module_name& name, const CoreConfig& config, StreamBuffer& stream, Pmu& pmu)
    : sc_core::sc_module(name),
      axi("axi", 2),
      config_(config),
      stream_(stream),
      pmu_(pmu),
      buffer_(Master::kIfm, config.params.read_buffer_ifm),
      stream_reads_(Master::kIfm, config.params.read_buffer_ifm_stream) {
  SC_THREAD(run);
}

void IfmLoader::start(BurstCursor& cursor, const TransferList& transfers) const {
  start_cursor(cursor, config_, {transfers.begin(), transfers.size()});
}

AxiMasterInterface& IfmLoader::port(const TransferList& transfers) {
  return *axi[static_cast<std::size_t>(config_.side(transfers[0]))].operator->();
}

void IfmLoader::run() {
  for (;;) {
    const IfmStepRef step = steps->read();
    Job& job = *step->job;
    KernelRun& run = *job.run;
    if (step->ifm.first) wait_for_previous(job, ticks(config_.params.kernel_done), pmu_);
    if (!run.start) {
      run.start = now();
      run.progress->notify();
    }
    if (!job.start) job.start = now();
    if (one_step(run.op)) stream(step);
    else load(step);
  }
}

// Time spent waiting for buffer space is not counted as read time.
Ticks IfmLoader::read(Job& job, ReadBuffer& buffer, const TransferList& transfers, BurstCursor& cursor, Beats beats) {
  const Ticks since = now();
  activity_.begin(job.run->command);
  const Ticks arrived = buffer.fetch(port(transfers), cursor, beats);
  activity_.end();
  job.spend(&UnitTimes::ifm_read, now() - since);
  return arrived;
}

// The MAC array receives a block while it is being read. Accumulators must have arrived before it starts.
void IfmLoader::load(const IfmStepRef& step) {
  step->ready = now();
  if (step->ifm.fetched) step->slot = ram->open(*step->job->run, step->ifm);
  else if (!step->ifm.box.empty()) step->slot = ram->find(*step->job->run, step->ifm);
  const bool accumulators = !step->ifm.reads2.empty() && !step->job->run->op.weights_from_ifm2;
  if (step->ifm.fetched) ram->block(step->slot).beats = config_.beats(step->ifm.reads);
  if (!accumulators) mac_steps->write(step);
  if (step->ifm.fetched) fetch_block(*step);
  if (!accumulators) return;
  fetch_accumulators(*step);
  mac_steps->write(step);
}

// Requests transactions one by one, so that those of weights and scales can come between.
void IfmLoader::fetch_block(IfmStep& step) {
  const TransferList& reads = step.ifm.reads;
  if (reads.empty()) return;
  const BlockOperation& op = step.job->run->op;
  if (op.kind != OpKind::kConv && step.ifm.index == 0 && !step.job->block.scales.empty())
    scales->wait_for(*step.job, 1);
  const int slot = step.slot;
  const Beats beats = ram->block(slot).beats;
  const std::uint64_t bytes = ram_bytes(step.ifm.box, op.ifm);
  BurstCursor cursor;
  start(cursor, reads);
  for (Beats due; due < beats;) {
    const Beats part = cursor.coming();
    ram->reserve(slot, bytes * (due + part) / beats - bytes * due / beats);
    const Ticks arrived = read(*step.job, buffer_, reads, cursor, part);
    due += part;
    ram->asked(slot, due, arrived);
  }
}

void IfmLoader::fetch_accumulators(IfmStep& step) {
  const TransferList& reads = step.ifm.reads2;
  const Beats beats = config_.beats(reads);
  BurstCursor cursor;
  start(cursor, reads);
  while (cursor.beats() < beats)
    step.ready = std::max(step.ready, read(*step.job, buffer_, reads, cursor, std::min(kPart, beats - cursor.beats())));
}

// Both operands advance together.
void IfmLoader::stream(const IfmStepRef& step) {
  const TransferList* operands_of[] = {&step->ifm.reads, &step->ifm.reads2};
  BurstCursor cursors[2];
  Beats beats[2];
  for (int i = 0; i < 2; ++i) {
    beats[i] = config_.beats(*operands_of[i]);
    if (beats[i] > Beats()) start(cursors[i], *operands_of[i]);
  }
  const std::uint64_t elements = step->job->block.elements;
  const std::uint64_t parts = std::max<std::uint64_t>(1, (std::max(beats[0], beats[1]) + kPart - Beats(1)) / kPart);
  for (std::uint64_t part = 1; part <= parts; ++part) {
    OperandPart out{step, elements * part / parts, {}, now(), part == parts};
    for (int i = 0; i < 2; ++i) {
      const Beats due = beats[i] * part / parts;
      if (due <= cursors[i].beats()) continue;
      const Beats words = due - cursors[i].beats();
      stream_.claim(words);
      const Beats before = cursors[i].beats();
      out.ready = std::max(out.ready, read(*step->job, stream_reads_, *operands_of[i], cursors[i], words));
      const Beats asked = cursors[i].beats() - before;
      if (asked > words) stream_.overdraw(asked - words);
      out.words += asked;
    }
    operands->write(out);
  }
}

}  // namespace macaw::npu::timed::u85
