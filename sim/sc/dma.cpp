#include "sim/sc/dma.hpp"

#include "sim/sc/transaction_size.hpp"

#include <algorithm>

namespace macaw::npu::sc {
namespace {

constexpr std::uint64_t kPartBeats = 32;

}  // namespace

Dma::Dma(const sc_core::sc_module_name& name, const CoreConfig& config)
    : sc_core::sc_module(name), axi("axi", 2), config_(config), parts_("parts", 4) {
  SC_THREAD(read);
  SC_THREAD(write);
}

void Dma::read() {
  const auto beat = static_cast<unsigned>(config_.accelerator.beat_bytes);
  for (;;) {
    const DmaRef job = jobs->read();
    job->start = now();
    const TransferList& reads = job->traffic.reads;
    const std::uint64_t beats = reads.beats(beat);
    const std::uint64_t write_beats = job->traffic.writes.beats(beat);
    start_cursor(read_cursor_, config_, {reads.begin(), reads.size()});
    std::uint64_t done = 0;
    do {
      read_request_.beats = std::min(kPartBeats, beats - done);
      if (read_request_.beats > 0) {
        read_request_.master = Master::kDmaRead;
        read_request_.cursor = &read_cursor_;
        axi[static_cast<std::size_t>(config_.side(reads[0]))]->post(read_request_);
        read_request_.wait_issued();
        done = read_cursor_.beats();
      }
      const bool last = done >= beats;
      const double share = static_cast<double>(done) / static_cast<double>(std::max<std::uint64_t>(beats, 1));
      const auto due = last ? write_beats : static_cast<std::uint64_t>(static_cast<double>(write_beats) * share);
      parts_.write({job, std::max(now(), read_request_.done()), due, last});
    } while (done < beats);
    sc_core::wait(job_done_);
  }
}

void Dma::write() {
  Ticks done = 0;
  const DmaRun* current = nullptr;
  for (;;) {
    const Part part = parts_.read();
    wait_until(part.arrived);
    const TransferList& writes = part.job->traffic.writes;
    if (current != part.job.get()) {
      current = part.job.get();
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
    if (part.last) {
      current = nullptr;
      wait_until(done);
      scoreboard->dma_finished(*part.job);
      job_done_.notify();
    }
  }
}

}  // namespace macaw::npu::sc
