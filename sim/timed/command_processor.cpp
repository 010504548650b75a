#include "sim/timed/command_processor.hpp"

#include "sim/timed/generation.hpp"
#include "sim/timed/transaction_size.hpp"

#include <algorithm>

namespace macaw::npu::timed {
namespace {

constexpr int kStreamRegion = -1;

template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};
template <class... F>
Overloaded(F...) -> Overloaded<F...>;

}  // namespace

CommandProcessor::CommandProcessor(const sc_core::sc_module_name& name, const CoreConfig& config,
                                   Scoreboard& scoreboard, Pmu& pmu)
    : sc_core::sc_module(name),
      axi("axi", 2),
      config_(config),
      scoreboard_(scoreboard),
      pmu_(pmu),
      fetched_("fetched", CoreConfig::count(config.params.command_bursts_ahead)) {
  for (int i = 0; i < fetched_.num_free() + 2; ++i) pieces_.push_back(std::make_unique<Piece>());
  SC_THREAD(fetch);
  SC_THREAD(parse);
}

void CommandProcessor::start(Program program) {
  program_ = std::move(program);
  if (program_.segments.empty()) program_.segments.push_back({0, program_.words});
  parsed_ = here_ = 0;
  stopped_ = stop_requested_ = false;
  running_ = true;
  ++programs_;
  started_.notify(sc_core::SC_ZERO_TIME);
}

void CommandProcessor::restart() {
  for (Piece* piece = nullptr; fetched_.nb_read(piece);) continue;
  chain_.clear();
  last_kernel_.reset();
  last_head_.reset();
  programs_ = begun_ = fetched_programs_ = 0;
  next_piece_ = 0;
  running_ = counts_ = false;
}

std::uint32_t CommandProcessor::read_position() const {
  std::uint64_t left = parsed_;
  for (const Program::Segment& segment : program_.segments) {
    const std::uint64_t words = segment.end - segment.begin;
    if (left <= words) return static_cast<std::uint32_t>(4 * (segment.begin + left));
    left -= words;
  }
  return static_cast<std::uint32_t>(4 * parsed_);
}

void CommandProcessor::fetch_segment(const Program::Segment& segment) {
  const std::uint64_t burst = burst_bytes(config_, Channel::kReadCommands, kStreamRegion);
  for (std::uint64_t offset = segment.begin * 4; offset < segment.end * 4;) {
    Piece& piece = *pieces_[next_piece_];
    next_piece_ = (next_piece_ + 1) % pieces_.size();
    const std::uint64_t end = std::min((offset / burst + 1) * burst, segment.end * 4);
    piece.words = (end - offset) / 4;
    piece.transfer = contiguous(Channel::kReadCommands, kStreamRegion, offset, end - offset);
    offset = end;
    start_cursor(piece.cursor, config_, {&piece.transfer, 1});
    piece.request.master = Master::kCommand;
    piece.request.cursor = &piece.cursor;
    piece.request.last = true;
    piece.request.beats = config_.beats(piece.transfer);
    axi[static_cast<std::size_t>(config_.side(piece.transfer))]->post(piece.request);
    fetched_.write(&piece);
  }
}

void CommandProcessor::fetch() {
  for (;;) {
    while (fetched_programs_ == begun_) sc_core::wait(begins_);
    std::uint64_t before = 0;  // words of earlier segments
    for (const Program::Segment& segment : program_.segments) {
      while (parsed_ < before && running_) sc_core::wait(parsed_changed_);
      if (!running_) break;
      fetch_segment(segment);
      before += segment.end - segment.begin;
    }
    ++fetched_programs_;
    parsed_changed_.notify();
  }
}

// Discards commands that were fetched but not parsed before an early end.
void CommandProcessor::drain() {
  parsed_changed_.notify();
  while (fetched_programs_ < begun_ || fetched_.num_available() > 0) {
    Piece* piece = nullptr;
    if (fetched_.nb_read(piece)) piece->request.wait_done();
    else sc_core::wait(parsed_changed_ | fetched_.data_written_event());
  }
}

void CommandProcessor::parse_words(std::uint64_t end, std::size_t command) {
  while (parsed_ < end) {
    if (here_ == 0) {
      Piece* piece = nullptr;
      fetched_.read(piece);
      piece->request.wait_done();
      here_ = piece->words;
    }
    const std::uint64_t words = std::min(here_, end - parsed_);
    activity_.begin(command);
    wait_for(ticks(static_cast<double>(words) * config_.params.command_word));
    activity_.end();
    here_ -= words;
    parsed_ += words;
    if (program_.segments.size() > 1) parsed_changed_.notify();
  }
}

// Operations that pass their result on in the chain buffer wait for the last of the chain.
void CommandProcessor::issue(const KernelRef& run) {
  chain_.push_back(run);
  run->number = ++issued_;
  run->issued = now();
  if (run->op.ofm.storage != Storage::kChained) issue_chain();
}

void CommandProcessor::issue_chain() {
  if (chain_.empty()) return;
  const KernelRef run = chain_.front();
  run->chained.assign(chain_.begin() + 1, chain_.end());
  scoreboard_.wait_kernels(static_cast<std::uint64_t>(CoreConfig::count(config_.params.kernels_in_flight)) - 1);
  for (const KernelRef& member : chain_) member->issued = now();
  run->previous = std::move(last_kernel_);
  last_kernel_ = chain_.back();
  last_head_ = run;
  chain_.clear();
  scoreboard_.kernel_issued(*run);
  kernels->write(run);
}

void CommandProcessor::issue(const DmaRef& run) {
  scoreboard_.wait_dmas(static_cast<std::uint64_t>(config_.accelerator.max_dma - 1));
  const bool into_table = run->traffic.writes.empty();
  const GenerationRules& rules = config_.generation.rules;
  if (into_table && rules.tables_wait_for_data) scoreboard_.wait_written();
  else if (into_table) scoreboard_.wait_kernels(0);
  while (rules.copies_wait_for_start && last_head_ && !last_head_->start) sc_core::wait(*last_head_->progress);
  run->issued = now();
  scoreboard_.dma_issued();
  dmas->write(run);
}

void CommandProcessor::end_program() {
  scoreboard_.wait_kernels(0);
  scoreboard_.wait_dmas(0);
  wait_for(ticks(config_.params.irq_delay));
}

void CommandProcessor::run_program() {
  while (!stopped_) {
    if (stop_requested_) {
      chain_.clear();
      return end_program();
    }
    const Instruction& instruction = *program_.instructions->next();
    parse_words(std::min(instruction.words_end, program_.words), instruction.command);
    std::visit(Overloaded{[this](const KernelRef& run) { issue(run); }, [this](const DmaRef& run) { issue(run); },
                          [this](const KernelWait& w) { scoreboard_.wait_kernels(w.outstanding); }, [](const Pass&) {},
                          [this](const DmaWait& w) { scoreboard_.wait_dmas(w.outstanding); },
                          [this](const Interrupt& irq) {
                            interrupts_ |= irq.mask;
                            interrupted_.notify(sc_core::SC_ZERO_TIME);
                          },
                          [this](const MaskCounters& mask) {
                            counts_ = mask.count;
                            counts_changed_.notify();
                          },
                          [this](const Stop&) {
                            issue_chain();
                            end_program();
                            stopped_ = true;
                          }},
               instruction.action);
  }
}

void CommandProcessor::parse() {
  for (std::uint64_t done = 0;; ++done) {
    while (done == programs_) sc_core::wait(started_);
    if (before_program) before_program();
    last_kernel_.reset();
    last_head_.reset();
    ++begun_;
    begins_.notify();
    pmu_.stalled(Cause::kRunning, [&] { run_program(); });
    end_ = now();
    running_ = false;
    finished_.notify(sc_core::SC_ZERO_TIME);
    drain();
  }
}

}  // namespace macaw::npu::timed
