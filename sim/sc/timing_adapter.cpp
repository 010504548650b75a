#include "sim/sc/timing_adapter.hpp"

#include <algorithm>
#include <cmath>

namespace macaw::npu::sc {

void TimingAdapter::Outstanding::add(Ticks done) {
  if (done_.empty()) return;
  done_[next_] = std::max(done_[next_], done);
  next_ = (next_ + 1) % done_.size();
}

TimingAdapter::TimingAdapter(const sc_core::sc_module_name& name, const MemoryTiming& registers, double cap_share)
    : sc_core::sc_module(name),
      target("target"),
      initiator("initiator"),
      registers_(registers),
      cap_share_(cap_share),
      period_(ticks(Cycles(std::uint64_t{registers.pulse_on} + registers.pulse_off))),
      open_(ticks(Cycles(registers.pulse_on))),
      phase_(ticks(Cycles(registers.pulse_phase))),
      budget_(registers.bandwidth_cap ? std::min(registers.bandwidth_cap, registers.pulse_on) : registers.pulse_on),
      reads_(registers.max_reads),
      writes_(registers.max_writes),
      both_(registers.max_reads_writes) {
  target.register_b_transport(this, &TimingAdapter::b_transport);
  payload_.set_extension(&list_);
}

TimingAdapter::~TimingAdapter() { payload_.clear_extension(&list_); }

// A transaction passes while its period's budget is not used up, so the last one may overshoot it. A period whose
// window is over passes on to the next.
Ticks TimingAdapter::admit(Ticks t, Beats beats) {
  if (open_ == Ticks()) return t;
  t = t - origin_ + phase_;
  std::uint64_t p = t / period_;
  if (t % period_ >= open_) t = ++p * period_;
  auto used = used_.lower_bound(p);
  while (used != used_.end() && used->first == p && used->second >= budget_) {
    t = ++p * period_;
    ++used;
  }
  used = used_.emplace_hint(used, p, Beats());
  used->second += beats;
  return t + origin_ - phase_;
}

void TimingAdapter::forward(int port, Burst& burst, bool write, const BurstList& list) {
  list_.bursts[0] = burst;
  list_.count = 1;
  list_.pace = list.pace;
  list_.beat_bytes = list.beat_bytes;
  list_.answered = false;
  sc_core::sc_time delay = burst.accepted > now() ? to_time(burst.accepted - now()) : sc_core::SC_ZERO_TIME;
  list_.bursts[0].request = burst.accepted;
  payload_.set_command(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
  payload_.set_address(burst.address);
  payload_.set_data_length(static_cast<unsigned>(burst.beats.count()) * list.beat_bytes);
  payload_.set_streaming_width(payload_.get_data_length());
  payload_.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  initiator[port]->b_transport(payload_, delay);
  if (list_.answered) {
    burst.accepted = list_.bursts[0].accepted;
    burst.data_end = list_.bursts[0].data_end;
    burst.done = list_.bursts[0].done;
  } else {
    burst.data_end = burst.done = now() + ticks(delay);
  }
}

void TimingAdapter::end_of_elaboration() {
  if (registers_.bandwidth_cap) {
    const double cap = static_cast<double>(budget_.count()) * cap_share_ * static_cast<double>(target.size());
    budget_ = std::max(Beats(static_cast<std::uint64_t>(std::llround(cap))), Beats(1));
  } else {
    budget_ = budget_ * target.size();
  }
  restart();
}

void TimingAdapter::restart() {
  origin_ = now();
  used_.clear();
  for (Outstanding* outstanding : {&reads_, &writes_, &both_}) outstanding->restart();
  read_channels_.assign(target.size(), {});
  write_channels_.assign(target.size(), {});
}

void TimingAdapter::b_transport(int port, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  auto* list = payload.get_extension<BurstList>();
  if (!list) {
    payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
    return;
  }
  const bool write = payload.is_write();
  Outstanding& same = write ? writes_ : reads_;
  Channel& channel = (write ? write_channels_ : read_channels_)[static_cast<std::size_t>(port)];
  const Ticks latency = ticks(Cycles(write ? registers_.write_latency : registers_.read_latency));
  const Ticks start = now() + ticks(delay);
  used_.erase(used_.begin(), used_.lower_bound(period_ == Ticks() ? 0 : (start - origin_ + phase_) / period_));
  for (Burst& burst : list->used()) {
    Ticks t = std::max({burst.request, start, channel.address_free, same.earliest(), both_.earliest()});
    t = admit(t, burst.beats);
    burst.accepted = t;
    forward(port, burst, write, *list);
    channel.address_free = burst.accepted + kCycle;
    const Ticks data = burst.beats * std::max(list->pace, kBeatEachCycle);
    const Ticks first = std::max(write ? burst.accepted : burst.accepted + latency, channel.data_free);
    burst.data_end = std::max(burst.data_end, first + data);
    channel.data_free = burst.data_end;
    burst.done = std::max(burst.done, write ? burst.data_end + latency : burst.data_end);
    same.add(burst.done);
    both_.add(burst.done);
  }
  list->answered = true;
  payload.set_response_status(payload_.get_response_status());
}

}  // namespace macaw::npu::sc
