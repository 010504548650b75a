#include "sim/timed/dma.hpp"

#include "sim/timed/generation.hpp"
#include "sim/timed/transaction_size.hpp"

#include <algorithm>

namespace macaw::npu::timed {
Dma::Dma(const sc_core::sc_module_name& name, const CoreConfig& config)
    : sc_core::sc_module(name),
      axi("axi", 2),
      config_(config),
      overlap_(config.generation.rules.copies_overlap),
      words_(overlap_ ? static_cast<std::uint64_t>(CoreConfig::count(config.params.read_buffer_mem2mem)) : UINT64_MAX),
      parts_("parts", config.generation.rules.copy_parts),
      finished_("finished", config.accelerator.max_dma) {
  read_request_.last = write_request_.last = true;
  SC_THREAD(read);
  SC_THREAD(write);
  SC_THREAD(retire);
}

void Dma::restart() {
  clear(parts_, finished_);
  held_ = {};
  under_way_ = 0;
}

// U85: rows of an indexed side are not requested before all indices have arrived (assumed).
void Dma::read_indices(const TransferList& indices) {
  if (indices.empty()) return;
  start_cursor(read_cursor_, config_, {indices.begin(), indices.size()});
  read_request_.master = Master::kDmaRead;
  read_request_.cursor = &read_cursor_;
  read_request_.beats = config_.beats(indices);
  axi[static_cast<std::size_t>(config_.side(indices[0]))]->post(read_request_);
  read_request_.wait_done();
}

void Dma::read_data(const DmaRef& job) {
  const TransferList& reads = job->traffic.reads;
  const Beats beats = config_.beats(reads);
  const Beats write_beats = config_.beats(job->traffic.writes);
  const Beats most = config_.generation.rules.copy_part;
  start_cursor(read_cursor_, config_, {reads.begin(), reads.size()});
  Beats done;
  do {
    const Beats part = std::min(most, beats - done);
    Beats words;
    Ticks arrived = now();
    if (part > Beats()) {
      while (held_ > Beats() && held_ + part > words_) released_.wait();
      read_request_.master = Master::kDmaRead;
      read_request_.cursor = &read_cursor_;
      read_request_.beats = part;
      axi[static_cast<std::size_t>(config_.side(reads[0]))]->post(read_request_);
      read_request_.wait_issued();
      arrived = read_request_.done();
      words = read_cursor_.beats() - done;
      done += words;
      held_ += words;
    }
    const bool last = done >= beats;
    const double share = static_cast<double>(done.count()) / static_cast<double>(std::max(beats, Beats(1)).count());
    const auto due =
        last ? write_beats : Beats(static_cast<std::uint64_t>(static_cast<double>(write_beats.count()) * share));
    parts_.write({job, std::max(now(), arrived), due, words, last});
  } while (done < beats);
}

void Dma::read() {
  for (;;) {
    const DmaRef job = jobs->read();
    job->start = now();
    ++under_way_;
    activity_.begin(job->command);
    read_indices(job->traffic.indices);
    read_data(job);
    if (!overlap_) job_done_.wait();
  }
}

void Dma::write() {
  Ticks done;
  const DmaRun* current = nullptr;
  for (;;) {
    const Part part = parts_.read();
    const TransferList& writes = part.job->traffic.writes;
    if (current != part.job.get()) {
      current = part.job.get();
      done = now();
      start_cursor(write_cursor_, config_, {writes.begin(), writes.size()});
    }
    if (!writes.empty() && part.write_beats > write_cursor_.beats()) {
      write_request_.master = Master::kDmaWrite;
      write_request_.write = true;
      write_request_.cursor = &write_cursor_;
      write_request_.beats = part.write_beats - write_cursor_.beats();
      axi[static_cast<std::size_t>(config_.side(writes[0]))]->post(write_request_);
      write_request_.wait_issued();
      done = std::max(done, write_request_.done());
    }
    held_ -= part.words;
    released_.notify();
    if (part.last) {
      current = nullptr;
      finished_.write({part.job, std::max(done, now())});
    }
  }
}

void Dma::retire() {
  for (;;) {
    const Finished finished = finished_.read();
    if (--under_way_ == 0) activity_.end();
    scoreboard->dma_finished(*finished.job);
    job_done_.notify();
  }
}

}  // namespace macaw::npu::timed
