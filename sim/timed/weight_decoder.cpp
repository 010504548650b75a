#include "sim/timed/weight_decoder.hpp"

#include "sim/timed/transaction_size.hpp"

#include <algorithm>

namespace macaw::npu::timed {
namespace {

constexpr int kPiecesInFlight = 32;

/// Weight streams, or the channels of IFM2 that replace them.
const TransferList& weight_transfers(const IfmStep& step) {
  return step.job->run->op.weights_from_ifm2 ? step.ifm.reads2 : step.ifm.weights;
}

}  // namespace

WeightDecoder::WeightDecoder(const sc_core::sc_module_name& name, const CoreConfig& config, Pmu& pmu)
    : sc_core::sc_module(name),
      axi("axi", 2),
      config_(config),
      pmu_(pmu),
      pace_(pace(config.params.weight_beat)),
      decoding_("decoding", 8),
      requested_("requested", kPiecesInFlight) {
  // While the queue is full, one more is being filled and one waited for.
  for (int i = 0; i < kPiecesInFlight + 2; ++i) pieces_.push_back(std::make_unique<Piece>());
  SC_THREAD(read_streams);
  SC_THREAD(decode);
}

void WeightDecoder::restart() {
  clear(decoding_, requested_);
  held_ = arrived_ = decoded_ = before_ = due_ = {};
}

void WeightDecoder::read_streams() {
  for (;;) {
    const IfmStepRef step = steps->read();
    const BlockOperation& op = step->job->run->op;
    prepare(*step);
    if (!decodes_weights(op)) continue;
    decoding_.write(step);
    for (const Transfer& transfer : weight_transfers(*step)) read_weights(transfer, capacity(op));
  }
}

void WeightDecoder::read_weights(const Transfer& transfer, Beats room) {
  const auto side = static_cast<std::size_t>(config_.side(transfer));
  const std::uint64_t piece_bytes = burst_bytes(config_, transfer.channel, transfer.region);
  for (std::uint64_t run = 0; run < transfer.runs(); ++run) {
    std::uint64_t address = transfer.run_address(run);
    const std::uint64_t end = address + transfer.run;
    while (address < end) {
      Piece& piece = *pieces_[next_piece_];
      next_piece_ = (next_piece_ + 1) % pieces_.size();
      const std::uint64_t cut = std::min(end, (address / piece_bytes + 1) * piece_bytes);
      piece.transfer = contiguous(transfer.channel, transfer.region, address, cut - address);
      address = cut;
      start_cursor(piece.cursor, config_, {&piece.transfer, 1});
      piece.request.master = Master::kWeight;
      piece.request.cursor = &piece.cursor;
      piece.request.beats = config_.beats(piece.transfer);
      piece.request.pace = pace_;
      piece.request.last = reads_weights_alone();
      wanted_ = room > piece.request.beats ? room - piece.request.beats : Beats();
      while (held_ > wanted_) freed_.wait();
      held_ += piece.request.beats;
      axi[side]->post(piece.request);
      requested_.write(&piece);
    }
  }
}

// Stream data leaves the buffer as the decoder reads it, even in the middle of a group that needs more than fits.
void WeightDecoder::take(Beats beats) {
  held_ -= beats - decoded_;
  decoded_ = beats;
  if (held_ <= wanted_) freed_.notify();
}

void WeightDecoder::wait_for_stream(Job& job, Beats beats) {
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
  pmu_.add(Cause::kWdNoStream, waited);
}

void WeightDecoder::decode_group(IfmStep& step, const Group& group) {
  const KernelRun& run = *step.job->run;
  wait_for_stream(*step.job, before_ + (due_ * group.until + Beats(group.all - 1)) / group.all);
  const Ticks busy = ticks(static_cast<double>(group.cost) * run.decode_cycles);
  activity_.begin(run.command);
  wait_for(busy);
  activity_.end();
  step.job->spend(&UnitTimes::weight_decoder, busy);
  pmu_.add(Cause::kWdDecodes, busy);
  pmu_.add(Tally::kWeightBlocks, group.blocks);
  pmu_.stalled(Cause::kWdNoRoom, [&] { weight_blocks->write(group.blocks); });
}

void WeightDecoder::decode() {
  for (;;) {
    const IfmStepRef step = decoding_.read();
    before_ = decoded_;
    due_ = config_.beats(weight_transfers(*step));
    decode_groups(*step);
    wait_for_stream(*step->job, before_ + due_);
  }
}

}  // namespace macaw::npu::timed
