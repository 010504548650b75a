#include "sim/timed/memory.hpp"

#include <algorithm>
#include <cmath>

namespace macaw::npu::timed {

Memory::Memory(const sc_core::sc_module_name& name, Timing timing)
    : sc_core::sc_module(name), socket("socket"), timing_(timing) {
  socket.register_b_transport(this, &Memory::b_transport);
  if (timing.traffic == 0) return;
  constexpr Beats kTheirs(16);
  const Ticks theirs = kTheirs * (timing.beat == Pace() ? kBeatEachCycle : timing.beat);
  // An access of another master that is in progress is half complete on average.
  wait_ = Ticks(static_cast<std::uint64_t>(timing.traffic * static_cast<double>(theirs.count()) / 2));
  stretch_ = 1 / (1 - timing.traffic);
}

void Memory::end_of_elaboration() { restart(); }

void Memory::restart() {
  free_ = {};
  last_ = {};
  read_free_.assign(socket.size(), Ticks());
  write_free_.assign(socket.size(), Ticks());
}

Ticks Memory::stretched(Ticks time) const {
  if (stretch_ == 1) return time;
  return Ticks(static_cast<std::uint64_t>(std::llround(static_cast<double>(time.count()) * stretch_)));
}

// Returns the time in which the access occupies the memory.
Memory::Service Memory::occupy(const Burst& burst, bool write, std::uint32_t beat_bytes) {
  if (timing_.beat == Pace()) return {burst.accepted + wait_, Ticks()};
  Access& last = last_[write];
  const std::uint64_t bytes = burst.beats.count() * beat_bytes;
  const Ticks data = burst.beats * timing_.beat;
  // A write to part of the word in which the previous write ended: that word is still being read, changed and written
  // back.
  const bool again = write && burst.partial && burst.address + beat_bytes == last.end;
  const Ticks needed = stretched(again ? std::max(data, timing_.partial_write) : data);
  const Ticks earliest = burst.accepted + wait_;
  Ticks start = std::max(earliest, free_);
  if (burst.address == last.end) {
    // Continues the previous access: it uses the rest of the minimum time that is charged already.
    start = std::max(earliest, std::min(free_, last.data));
    free_ = std::max(free_, start + needed);
  } else {
    const Ticks least = (Beats(timing_.least_bytes) * timing_.beat + Ticks(beat_bytes - 1)) / beat_bytes;
    free_ = start + std::max(needed, stretched(least));
  }
  last = {burst.address + bytes, start + needed};
  return {start, last.data};
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
  const bool own_rate = timing_.beat != Pace() || timing_.traffic != 0;
  const Ticks latency = write ? Ticks() : timing_.read_latency;
  const Ticks response = write ? timing_.write_latency : Ticks();
  if (!own_rate) {
    for (Burst& burst : list->used()) {
      const Ticks accepted = std::max(burst.request, start);
      data_free = std::max(accepted + latency, data_free) + burst.beats * pace;
      burst.accepted = accepted;
      burst.data_end = data_free;
      burst.done = data_free + response;
    }
  } else {
    for (Burst& burst : list->used()) {
      burst.accepted = std::max(burst.request, start);
      const Service service = occupy(burst, write, list->beat_bytes);
      const Ticks first = std::max(service.start + latency, data_free);
      const Ticks bus = burst.beats * pace;
      // Without a rate of its own the memory is as fast as the port, and the other masters take time of the port.
      burst.data_end = timing_.beat == Pace() ? first + stretched(bus) : std::max(first + bus, service.end + latency);
      data_free = burst.data_end;
      burst.done = data_free + response;
    }
  }
  port_free = data_free;
  list->answered = true;
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
}

}  // namespace macaw::npu::timed
