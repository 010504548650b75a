#include "sim/timed/timing_adapter.hpp"

#include <algorithm>
#include <cmath>

namespace macaw::npu::timed {
namespace {

constexpr std::size_t kOver = 64;  // periods that are over before they are erased

/// std::max by value, so that its operands may stay in registers.
constexpr Ticks later(Ticks a, Ticks b) { return a < b ? b : a; }

}  // namespace

TimingAdapter::TimingAdapter(const sc_core::sc_module_name& name, const MemoryTiming& registers, double cap_share)
    : sc_core::sc_module(name),
      target("target"),
      initiator("initiator"),
      registers_(registers),
      cap_share_(cap_share),
      period_(ticks(Cycles(std::uint64_t{registers.pulse_on} + registers.pulse_off))),
      open_(ticks(Cycles(registers.pulse_on))),
      phase_(ticks(Cycles(registers.pulse_phase))),
      read_latency_(ticks(Cycles(registers.read_latency))),
      write_latency_(ticks(Cycles(registers.write_latency))),
      budget_(UINT64_MAX),
      reads_(registers.max_reads),
      writes_(registers.max_writes),
      both_(registers.max_reads_writes) {
  target.register_b_transport(this, &TimingAdapter::b_transport);
}

Ticks TimingAdapter::admit_later(Ticks t, Beats beats) {
  Ticks begin = t - t % period_;
  const auto take_next = [&] { t = begin += period_; };
  if (t - begin >= open_) take_next();
  // The last periods are the most likely.
  auto period = periods_.end();
  while (period != periods_.begin() + static_cast<std::ptrdiff_t>(first_period_) && (period - 1)->begin >= begin)
    --period;
  for (; period != periods_.end() && period->begin == begin && period->used >= budget_; ++period) take_next();
  if (period == periods_.end() || period->begin != begin) period = periods_.insert(period, {begin, {}});
  latest_ = static_cast<std::size_t>(period - periods_.begin());
  period->used += beats;
  return t + origin_ - phase_;
}

void TimingAdapter::leave_periods(Ticks now) {
  const Ticks t = now - origin_ + phase_;
  while (first_period_ < periods_.size() && periods_[first_period_].begin + period_ <= t) ++first_period_;
  if (first_period_ < kOver) return;
  periods_.erase(periods_.begin(), periods_.begin() + static_cast<std::ptrdiff_t>(first_period_));
  first_period_ = 0;
  latest_ = periods_.size();
}

void TimingAdapter::forward_part(int port, const tlm::tlm_generic_payload& whole, BurstList& list, Beats beats) {
  const std::span<Burst> bursts = list.used();
  payload_.set_command(whole.get_command());
  payload_.set_address(bursts[0].address);
  payload_.set_data_length(static_cast<unsigned>(beats.count()) * list.beat_bytes);
  payload_.set_streaming_width(payload_.get_data_length());
  payload_.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  payload_.set_extension(&list);
  forward(port, payload_, list);
  payload_.clear_extension(&list);
}

void TimingAdapter::forward(int port, tlm::tlm_generic_payload& payload, BurstList& list) {
  const std::span<Burst> bursts = list.used();
  list.answered = false;
  const Ticks start = now();
  sc_core::sc_time delay = bursts[0].accepted > start ? to_time(bursts[0].accepted - start) : sc_core::SC_ZERO_TIME;
  initiator[port]->b_transport(payload, delay);
  if (list.answered) return;
  for (Burst& burst : bursts) burst.data_end = burst.done = start + ticks(delay);
}

void TimingAdapter::end_of_elaboration() {
  if (registers_.bandwidth_cap) {
    const double cap =
        registers_.bandwidth_cap * cap_share_ * static_cast<double>(target.size()) * (1 - registers_.traffic);
    budget_ = std::max(Beats(static_cast<std::uint64_t>(std::llround(cap))), Beats(1));
  }
  restart();
}

void TimingAdapter::restart() {
  origin_ = now();
  periods_.clear();
  first_period_ = latest_ = 0;
  for (Outstanding* outstanding : {&reads_, &writes_, &both_}) outstanding->restart();
  read_channels_.assign(target.size(), {});
  write_channels_.assign(target.size(), {});
}

void TimingAdapter::pass(int port, tlm::tlm_generic_payload& payload, BurstList& list, Ticks start, bool in_parts) {
  const bool write = payload.is_write();
  Outstanding& same = write ? writes_ : reads_;
  Channel& channel = (write ? write_channels_ : read_channels_)[static_cast<std::size_t>(port)];
  const std::span<Burst> bursts = list.used();
  if (bursts.empty()) return;
  Ticks *const same_done = same.next(), *const both_done = both_.next();
  const Ticks *const same_room = same.room(same_done), *const both_room = both_.room(both_done);
  Beats beats;
  Ticks address_free = later(channel.address_free, start), data_free = channel.data_free;
  for (std::size_t i = 0; i < bursts.size(); ++i) {
    Burst& burst = bursts[i];
    Ticks t = later(burst.request, address_free);
    if (same_room) t = later(t, same_room[i]);
    if (both_room) t = later(t, both_room[i]);
    // Behind the adapter the address is valid from this time on.
    t = burst.request = burst.accepted = admit(t, burst.beats);
    beats += burst.beats;
    address_free = t + kCycle;
  }
  if (in_parts) forward_part(port, payload, list, beats);
  else forward(port, payload, list);
  const Pace pace = std::max(list.pace, kBeatEachCycle);
  const Ticks first_beat = write ? Ticks() : read_latency_, response = write ? write_latency_ : Ticks();
  for (std::size_t i = 0; i < bursts.size(); ++i) {
    Burst& burst = bursts[i];
    const Ticks begin = later(burst.accepted + first_beat, data_free);
    data_free = later(burst.data_end, begin + burst.beats * pace);
    const Ticks done = later(burst.done, data_free + response);
    burst.data_end = data_free;
    burst.done = done;
    if (same_done) same_done[i] = done;
    if (both_done) both_done[i] = done;
  }
  same.pass(bursts.size());
  both_.pass(bursts.size());
  channel = {bursts.back().accepted + kCycle, data_free};
}

void TimingAdapter::b_transport(int port, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  auto* list = payload.get_extension<BurstList>();
  if (!list) {
    payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
    return;
  }
  const Ticks start = now() + ticks(delay);
  leave_periods(start);
  const std::size_t at_once = std::min((payload.is_write() ? writes_ : reads_).at_once(), both_.at_once());
  if (list->count <= at_once) {
    pass(port, payload, *list, start, false);
  } else {
    const std::size_t first = list->first, end = list->first + list->count;
    for (; list->first < end; list->first += list->count) {
      list->count = std::min(end - list->first, at_once);
      pass(port, payload, *list, start, true);
    }
    list->first = first;
    list->count = end - first;
    payload.set_response_status(payload_.get_response_status());
  }
  list->answered = true;
}

}  // namespace macaw::npu::timed
