#include "sim/sc/weight_decoder.hpp"

#include "sim/sc/transaction_size.hpp"

#include <algorithm>

namespace macaw::npu::sc {
namespace {

constexpr int kPiecesInFlight = 32;

/// Streams, or the channels of IFM2 that take their place.
const TransferList& weight_transfers(const Step& step) {
  return step.job->run->op.weights_from_ifm2 ? step.ifm.reads2 : step.ifm.weights;
}

}  // namespace

WeightDecoder::WeightDecoder(const sc_core::sc_module_name& name, const CoreConfig& config, Pmu& pmu)
    : sc_core::sc_module(name),
      axi("axi", 2),
      config_(config),
      pmu_(pmu),
      u85_(config.accelerator.family == Family::kU85),
      piece_bytes_(static_cast<std::uint64_t>(config.accelerator.burst_bytes)),
      decoding_("decoding", 8),
      requested_("requested", kPiecesInFlight) {
  // One more is being filled and one waited for while the queue is full.
  for (int i = 0; i < kPiecesInFlight + 2; ++i) pieces_.push_back(std::make_unique<Piece>());
  SC_THREAD(read_streams);
  SC_THREAD(decode);
}

void WeightDecoder::read_streams() {
  for (;;) {
    const StepRef step = steps->read();
    const KernelRun& run = *step->job->run;
    if (!u85_ && step->ifm.first) read_scales(*step->job);
    if (!decodes_weights(run.op)) continue;
    // The requests of an operation go out in order: scales of its first block, then weights.
    if (u85_ && scales_of_ != &run && !step->job->block.scales.empty()) scales->wait_asked(*step->job);
    scales_of_ = &run;
    decoding_.write(step);
    for (const Transfer& transfer : weight_transfers(*step)) read_weights(run, transfer);
  }
}

void WeightDecoder::read_scales(Job& job) {
  const bool first_of_operation = scales_of_ != job.run.get();
  scales_of_ = job.run.get();
  for (const Transfer& transfer : job.block.scales) {
    scale_request_.wait_issued();
    start_cursor(scale_cursor_, config_, {&transfer, 1});
    scale_request_.master = Master::kScale;
    scale_request_.cursor = &scale_cursor_;
    scale_request_.beats = transfer.beats(static_cast<unsigned>(config_.accelerator.beat_bytes));
    axi[static_cast<std::size_t>(config_.side(transfer))]->post(scale_request_);
    // The cursor refers to the block's transfer: it must not outlive it.
    scale_request_.wait_issued();
  }
  if (first_of_operation) scale_request_.wait_done();
}

std::uint64_t WeightDecoder::capacity(const KernelRun& run) const {
  const Params& params = config_.params;
  const auto count = [](double beats) { return static_cast<std::uint64_t>(CoreConfig::count(beats)); };
  if (!u85_) return count(params.weight_beats_in_flight) * static_cast<std::uint64_t>(config_.accelerator.cores);
  const double words = run.op.fast_weights ? params.read_buffer_fast_weights : params.read_buffer_weights;
  return count(words * params.weight_buffer_share);
}

void WeightDecoder::read_weights(const KernelRun& run, const Transfer& transfer) {
  const std::uint64_t room = capacity(run);
  const auto beat = static_cast<unsigned>(config_.accelerator.beat_bytes);
  const auto side = static_cast<std::size_t>(config_.side(transfer));
  for (std::uint64_t run = 0; run < transfer.runs(); ++run) {
    std::uint64_t address = transfer.run_address(run);
    const std::uint64_t end = address + transfer.run;
    while (address < end) {
      Piece& piece = *pieces_[next_piece_];
      next_piece_ = (next_piece_ + 1) % pieces_.size();
      const std::uint64_t cut = std::min(end, (address / piece_bytes_ + 1) * piece_bytes_);
      piece.transfer = contiguous(transfer.channel, transfer.region, address, cut - address);
      address = cut;
      start_cursor(piece.cursor, config_, {&piece.transfer, 1});
      piece.request.master = Master::kWeight;
      piece.request.cursor = &piece.cursor;
      piece.request.beats = piece.transfer.beats(beat);
      piece.request.pace = ticks(config_.params.weight_beat);
      while (held_ > 0 && held_ + piece.request.beats > room) sc_core::wait(freed_);
      held_ += piece.request.beats;
      axi[side]->post(piece.request);
      requested_.write(&piece);
    }
  }
}

// Stream data leaves the buffer as the decoder takes it, also in the middle of a group that needs more than fits.
void WeightDecoder::take(std::uint64_t beats) {
  held_ -= beats - decoded_;
  decoded_ = beats;
  freed_.notify();
}

void WeightDecoder::wait_for_stream(Job& job, std::uint64_t beats) {
  const Ticks since = now();
  while (arrived_ < beats) {
    Piece* piece = nullptr;
    requested_.read(piece);
    piece->request.wait_done();
    arrived_ += piece->request.beats;
    take(std::min(arrived_, beats));
  }
  take(beats);
  const Ticks waited = now() - since;
  job.spend(&UnitTimes::weight_read, waited);
  pmu_.add(CoreEvent::kWdStalledByStream, waited);
  pmu_.add(CoreEvent::kWdStalled, waited);
}

WeightDecoder::Work WeightDecoder::work_of(const Step& step) const {
  if (!u85_) return {step.ifm.mac.weight_blocks, kGroup, step.ifm.mac.weight_blocks, {}};
  const MacUnits units(step.ifm, step.job->run->op);
  return {units.count(), 1, units.weights_until(units.count()), units};
}

void WeightDecoder::decode() {
  const auto beat = static_cast<unsigned>(config_.accelerator.beat_bytes);
  for (;;) {
    const StepRef step = decoding_.read();
    const KernelRun& run = *step->job->run;
    const Work work = work_of(*step);
    const std::uint64_t beats = weight_transfers(*step).beats(beat);
    const std::uint64_t before = decoded_;
    for (std::uint64_t done = 0; done < work.blocks;) {
      const std::uint64_t group = std::min(work.group, work.blocks - done);
      const std::uint64_t weights = work.until(done + group) - work.until(done);
      done += group;
      wait_for_stream(*step->job, before + (beats * work.until(done) + work.total - 1) / work.total);
      const Ticks busy = ticks(static_cast<double>(weights) * run.decode_cycles);
      activity_.begin(run.command);
      sc_core::wait(to_time(busy));
      activity_.end();
      step->job->spend(&UnitTimes::weight_decoder, busy);
      pmu_.add(CoreEvent::kWdActive, busy);
      pmu_.add(CoreEvent::kWdWeightBlocks, group);
      const Ticks since = now();
      weight_blocks->write(group);
      pmu_.add(CoreEvent::kWdStalledByBuffer, now() - since);
      pmu_.add(CoreEvent::kWdStalled, now() - since);
    }
    wait_for_stream(*step->job, before + beats);
  }
}

}  // namespace macaw::npu::sc
