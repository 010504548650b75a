#include "sim/timed/ofm_writer.hpp"

#include "sim/timed/transaction_size.hpp"

#include <algorithm>

namespace macaw::npu::timed {

OfmWriter::OfmWriter(const sc_core::sc_module_name& name, const CoreConfig& config)
    : sc_core::sc_module(name), axi("axi", 2), config_(config), written_("written", 64) {
  request_.master = Master::kOfm;
  request_.write = true;
  request_.last = true;
  request_.pace = pace(config.params.ofm_write_beat);
  SC_THREAD(write);
  SC_THREAD(retire);
}

void OfmWriter::write() {
  Ticks done, free;
  OutputSlice slice;
  const Job* current = nullptr;
  for (;;) {
    slices->read_from(slice, std::max(free, now()));
    Job& job = *slice.job;
    const TransferList& transfers = job.block.writes;
    if (current != &job) {
      current = &job;
      start_cursor(job.writes, config_, {transfers.begin(), transfers.size()});
    }
    if (!transfers.empty() && slice.beats > job.writes.beats()) {
      const Ticks since = now();
      activity_.begin(job.run->command);
      request_.cursor = &job.writes;
      request_.beats = slice.beats - job.writes.beats();
      axi[static_cast<std::size_t>(config_.side(transfers[0]))]->post(request_);
      // The next slice is accepted once the data of this one has been.
      if (slice.last || !request_.served() || !may_run_ahead()) request_.wait_data();
      free = std::max(request_.data_reached(), now());
      done = std::max(done, request_.done());
      activity_.end(free);
      job.spend(&UnitTimes::ofm_write, free - since);
    }
    if (slice.last) {
      current = nullptr;
      wait_until(std::max(free, now()));
      scoreboard->block_written(job);
      written_.write({slice.job, std::max(done, now())});
    }
  }
}

void OfmWriter::retire() {
  for (;;) {
    const Written written = written_.read();
    scoreboard->block_finished(*written.job);
  }
}

}  // namespace macaw::npu::timed
