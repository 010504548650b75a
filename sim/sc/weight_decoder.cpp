#include "sim/sc/weight_decoder.hpp"

#include "sim/sc/transaction_size.hpp"

#include <algorithm>

namespace macaw::npu::sc {
namespace {

constexpr int kPiecesInFlight = 32;

}  // namespace

WeightDecoder::WeightDecoder(const sc_core::sc_module_name& name, const CoreConfig& config, Pmu& pmu)
    : sc_core::sc_module(name),
      axi("axi", 2),
      config_(config),
      pmu_(pmu),
      capacity_(static_cast<std::uint64_t>(CoreConfig::count(config.params.weight_beats_in_flight)) *
                static_cast<std::uint64_t>(config.accelerator.cores)),
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
    if (step->ifm.first) read_scales(*step->job);
    if (!step->ifm.mac.uses_weights) continue;
    decoding_.write(step);
    for (const Transfer& transfer : step->ifm.weights) read_weights(transfer);
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

void WeightDecoder::read_weights(const Transfer& transfer) {
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
      while (held_ > 0 && held_ + piece.request.beats > capacity_) sc_core::wait(freed_);
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

void WeightDecoder::decode() {
  const auto beat = static_cast<unsigned>(config_.accelerator.beat_bytes);
  for (;;) {
    const StepRef step = decoding_.read();
    const KernelRun& run = *step->job->run;
    const std::uint64_t blocks = step->ifm.mac.weight_blocks;
    const std::uint64_t beats = step->ifm.weights.beats(beat);
    const std::uint64_t before = decoded_;
    for (std::uint64_t done = 0; done < blocks;) {
      const std::uint64_t group = std::min(kGroup, blocks - done);
      done += group;
      const std::uint64_t needed = before + (beats * done + blocks - 1) / blocks;
      wait_for_stream(*step->job, needed);
      const Ticks busy = ticks(static_cast<double>(group) * run.decode_cycles);
      sc_core::wait(to_time(busy));
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
