#include "sim/timed/u85/read_buffer.hpp"

namespace macaw::npu::timed::u85 {

Ticks ReadBuffer::fetch(AxiMasterInterface& axi, BurstCursor& cursor, Beats beats) {
  while (!parts_.empty() && (parts_.front().arrived <= now() || held_ + beats > words_)) {
    wait_until(parts_.front().arrived);
    held_ -= parts_.front().beats;
    parts_.pop_front();
  }
  const Beats before = cursor.beats();
  request_.master = master_;
  request_.cursor = &cursor;
  request_.beats = beats;
  request_.last = true;
  axi.post(request_);
  request_.wait_issued();
  const Beats asked = cursor.beats() - before;
  parts_.push_back({request_.data_end(), asked});
  held_ += asked;
  return request_.data_end();
}

}  // namespace macaw::npu::timed::u85
