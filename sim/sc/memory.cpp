#include "sim/sc/memory.hpp"

#include <algorithm>

namespace macaw::npu::sc {

Memory::Memory(const sc_core::sc_module_name& name, Timing timing)
    : sc_core::sc_module(name), socket("socket"), timing_(timing) {
  socket.register_b_transport(this, &Memory::b_transport);
}

void Memory::end_of_elaboration() { restart(); }

void Memory::restart() {
  free_ = {};
  last_ = {};
  read_free_.assign(socket.size(), Ticks());
  write_free_.assign(socket.size(), Ticks());
}

// The time from which the access has the memory for itself.
Ticks Memory::occupy(const Burst& burst, bool write, std::uint32_t beat_bytes) {
  if (timing_.beat == Pace()) return burst.accepted;
  Access& last = last_[write];
  const std::uint64_t bytes = burst.beats.count() * beat_bytes;
  const Ticks needed = burst.beats * timing_.beat;
  Ticks start = std::max(burst.accepted, free_);
  if (burst.address == last.end) {
    // The rest of the time that the burst has anyway.
    start = std::max(burst.accepted, std::min(free_, last.data));
    free_ = std::max(free_, start + needed);
  } else {
    free_ = start + std::max(needed, (Beats(timing_.least_bytes) * timing_.beat + Ticks(beat_bytes - 1)) / beat_bytes);
  }
  last = {burst.address + bytes, start + needed};
  return start;
}

void Memory::b_transport(int port, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  auto* list = payload.get_extension<BurstList>();
  if (!list) {
    payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
    return;
  }
  const bool write = payload.is_write();
  Ticks& port_free = (write ? write_free_ : read_free_)[static_cast<std::size_t>(port)];
  Ticks data_free = port_free;
  const Ticks start = now() + ticks(delay);
  const Pace pace = std::max(list->pace, kBeatEachCycle);
  for (Burst& burst : list->used()) {
    burst.accepted = std::max(burst.request, start);
    const Ticks first = occupy(burst, write, list->beat_bytes) + (write ? Ticks() : timing_.read_latency);
    burst.data_end = std::max(first, data_free) + burst.beats * pace;
    if (timing_.beat != Pace()) burst.data_end = std::max(burst.data_end, first + burst.beats * timing_.beat);
    data_free = burst.data_end;
    burst.done = burst.data_end + (write ? timing_.write_latency : Ticks());
  }
  port_free = data_free;
  list->answered = true;
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
}

}  // namespace macaw::npu::sc
