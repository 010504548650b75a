#include "sim/sc/command_processor.hpp"

#include "sim/sc/transaction_size.hpp"

#include <algorithm>

namespace macaw::npu::sc {
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
                                   std::vector<Instruction> program, std::uint64_t stream_words, Scoreboard& scoreboard,
                                   Pmu& pmu)
    : sc_core::sc_module(name),
      axi("axi", 2),
      config_(config),
      program_(std::move(program)),
      stream_words_(stream_words),
      scoreboard_(scoreboard),
      pmu_(pmu),
      fetched_("fetched", CoreConfig::count(config.params.command_bursts_ahead)) {
  for (int i = 0; i < fetched_.num_free() + 2; ++i) pieces_.push_back(std::make_unique<Piece>());
  SC_THREAD(fetch);
  SC_THREAD(parse);
}

void CommandProcessor::fetch() {
  const std::uint64_t bytes = stream_words_ * 4;
  const std::uint64_t burst = burst_bytes(config_, Channel::kReadCommands);
  std::size_t next = 0;
  for (std::uint64_t offset = 0; offset < bytes; offset += burst) {
    Piece& piece = *pieces_[next];
    next = (next + 1) % pieces_.size();
    const std::uint64_t size = std::min(burst, bytes - offset);
    piece.words = size / 4;
    piece.transfer = contiguous(Channel::kReadCommands, kStreamRegion, offset, size);
    start_cursor(piece.cursor, config_, {&piece.transfer, 1});
    piece.request.master = Master::kCommand;
    piece.request.cursor = &piece.cursor;
    piece.request.beats = piece.transfer.beats(static_cast<unsigned>(config_.accelerator.beat_bytes));
    axi[static_cast<std::size_t>(config_.side(piece.transfer))]->post(piece.request);
    fetched_.write(&piece);
  }
}

void CommandProcessor::parse_words(std::uint64_t end) {
  while (parsed_ < end) {
    if (here_ == 0) {
      Piece* piece = nullptr;
      fetched_.read(piece);
      piece->request.wait_done();
      here_ = piece->words;
    }
    const std::uint64_t words = std::min(here_, end - parsed_);
    sc_core::wait(to_time(ticks(static_cast<double>(words) * config_.params.command_word)));
    here_ -= words;
    parsed_ += words;
  }
}

// Operations that hand their result on in the chain buffer wait for the last of the chain.
void CommandProcessor::issue(const KernelRef& run) {
  chain_.push_back(run);
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
  chain_.clear();
  scoreboard_.kernel_issued(*run);
  kernels->write(run);
}

void CommandProcessor::issue(const DmaRef& run) {
  scoreboard_.wait_dmas(static_cast<std::uint64_t>(config_.accelerator.max_dma - 1));
  run->issued = now();
  scoreboard_.dma_issued();
  dmas->write(run);
}

void CommandProcessor::parse() {
  for (const Instruction& instruction : program_) {
    parse_words(std::min(instruction.words_end, stream_words_));
    std::visit(Overloaded{[this](const KernelRef& run) { issue(run); }, [this](const DmaRef& run) { issue(run); },
                          [this](const KernelWait& w) { scoreboard_.wait_kernels(w.outstanding); },
                          [this](const DmaWait& w) { scoreboard_.wait_dmas(w.outstanding); },
                          [this](const Stop&) {
                            issue_chain();
                            scoreboard_.wait_kernels(0);
                            scoreboard_.wait_dmas(0);
                            sc_core::wait(to_time(ticks(config_.params.irq_delay)));
                            stopped_ = true;
                          }},
               instruction.action);
    if (stopped_) break;
  }
  end_ = now();
  pmu_.add(CoreEvent::kNpuActive, end_);
}

}  // namespace macaw::npu::sc
