#include "sim/timed/axi_port.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace macaw::npu::timed {
namespace {

constexpr std::uint64_t kStripe = 256;  // consecutive bytes on one of several ports

}  // namespace

void AxiRequest::await(Time time) {
  while (!served_) {
    // If several processes wait, all of them continue at the earliest of their times.
    waited_for_ = waited_for_ == nullptr || waited_for_ == time ? time : &AxiRequest::issued_;
    reached_.wait();
  }
  wait_until(reached(time));
}

void AxiRequest::set_served(Ticks issued) {
  served_ = true;
  issued_ = issued;
  if (waited_for_) reached_.notify_at(reached(waited_for_));
}

AxiPort::AxiPort(const sc_core::sc_module_name& name, const Config& config, Pmu& pmu)
    : sc_core::sc_module(name),
      master("master"),
      sockets("sockets", static_cast<std::size_t>(config.ports)),
      config_(config),
      pmu_(pmu) {
  config_.turn = std::clamp<int>(config.turn, 1, BurstList::kCapacity);
  master.bind(*this);
  for (auto [direction, limit] : {std::pair(&reads_, config.max_reads), std::pair(&writes_, config.max_writes)}) {
    direction->lanes.resize(static_cast<std::size_t>(config.ports));
    for (Lane& lane : direction->lanes) {
      lane.outstanding = Outstanding(std::max(limit, 1));
      lane.payload = std::make_unique<tlm::tlm_generic_payload>();
      lane.payload->set_command(direction == &writes_ ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
      lane.payload->set_extension(&lane.list);
      lane.list.beat_bytes = static_cast<std::uint32_t>(config.beat_bytes);
      if (config.waveform)
        lane.waveform = std::make_unique<SpanCount>(
            (std::string(direction == &writes_ ? "writes" : "reads") + std::to_string(&lane - direction->lanes.data()))
                .c_str());
    }
  }
  SC_THREAD(serve_reads);
  SC_THREAD(serve_writes);
}

void AxiPort::restart(const std::optional<std::array<AxiLimit, 4>>& limits) {
  for (Direction* direction : {&reads_, &writes_}) {
    if (direction->served) direction->queue.push_back(direction->served);
    for (AxiRequest* request : direction->queue) request->served_ = true;
    direction->queue.clear();
    direction->served = nullptr;
    direction->free = {};
    const bool write = direction == &writes_;
    for (Lane& lane : direction->lanes) {
      lane.outstanding = Outstanding(std::max(write ? config_.max_writes : config_.max_reads, 1));
      lane.address_free = lane.data_free = {};
      for (std::size_t i = 0; i < lane.limited.size(); ++i)
        lane.limited[i] = Outstanding(limits ? std::max(write ? (*limits)[i].writes : (*limits)[i].reads, 1) : 0);
    }
  }
  bus_error_ = false;
}

void AxiPort::post(AxiRequest& request) {
  request.posted_ = now();
  request.left_ = request.beats;
  request.issued_ = request.data_end_ = request.done_ = now();
  request.waited_for_ = nullptr;
  request.served_ = request.beats == Beats();
  if (request.served_) return;
  Direction& direction = request.write ? writes_ : reads_;
  if (request.last && answered_at_once && is_first(direction)) take_turn(direction, request);
  else direction.queue.push_back(&request);
  if (request.served_) return;
  request.posted_delta_ = delta_cycle();
  if (direction.queue.size() == 1) direction.turn.notify(delay_until(direction.free));
}

bool AxiPort::is_first(const Direction& direction) const {
  const bool read_waits = reads_.served || (!reads_.queue.empty() && reads_.free <= now());
  return !direction.served && direction.queue.empty() && direction.free <= now() && !read_waits &&
         !sc_core::sc_pending_activity_at_current_time(sc_core::sc_curr_simcontext);
}

void AxiPort::serve_reads() {
  for (;;) serve_turn(reads_);
}

void AxiPort::serve_writes() {
  for (;;) serve_turn(writes_);
}

void AxiPort::serve_turn(Direction& direction) {
  while ((direction.served = next(direction)) == nullptr) {
    if (direction.queue.empty()) sc_core::wait(direction.turn);
    else wait_for(std::max(direction.free, now()) - now());
  }
  AxiRequest& request = *direction.served;
  std::erase(direction.queue, &request);
  // A read that begins at this time takes precedence, even if its process is woken later.
  while (request.write && !reads_.served && next(reads_)) sc_core::wait(sc_core::SC_ZERO_TIME);
  take_turn(direction, request);
}

void AxiPort::take_turn(Direction& direction, AxiRequest& request) {
  fill(direction, request);
  for (std::size_t i = 0; i < direction.lanes.size(); ++i) {
    if (direction.lanes[i].list.count == 0) continue;
    send(i, direction.lanes[i], request);
    direction.free = std::max(direction.free, direction.lanes[i].address_free);
  }
  if (request.left_ > Beats()) {
    request.posted_ = direction.free;
    direction.queue.push_back(&request);
  } else {
    request.set_served(direction.free);
  }
}

AxiRequest* AxiPort::next(const Direction& direction) {
  if (direction.free > now()) return nullptr;
  const std::uint64_t delta = delta_cycle();
  AxiRequest* best = nullptr;
  for (AxiRequest* request : direction.queue) {
    if (request->posted_delta_ == delta) continue;
    if (!best || std::tie(request->posted_, request->master) < std::tie(best->posted_, best->master)) best = request;
  }
  return best;
}

// Performs one turn: the next transactions of the request, each on the port that its address selects.
void AxiPort::fill(Direction& direction, AxiRequest& request) {
  for (Lane& lane : direction.lanes) lane.list.count = 0;
  const Lane& first = direction.lanes.front();
  const std::size_t limit = std::min({static_cast<std::size_t>(config_.turn), first.outstanding.at_once(),
                                      first.limited[request.cursor->limit].at_once()});
  if (direction.lanes.size() == 1) {
    BurstList& list = direction.lanes.front().list;
    list.count = request.cursor->take({list.bursts.data(), limit}, request.left_);
    return;
  }
  const std::uint64_t last_lane = direction.lanes.size() - 1;
  Burst next;
  for (std::size_t i = 0; i < limit && request.cursor->take(next, request.left_); ++i) {
    BurstList& list = direction.lanes[next.address / kStripe & last_lane].list;
    Burst& place = list.bursts[list.count++];
    place.address = next.address;
    place.beats = next.beats;
    place.partial = next.partial;
  }
}

void AxiPort::send(std::size_t port, Lane& lane, AxiRequest& request) {
  const Ticks start = now();
  Outstanding& limit = lane.limited[request.cursor->limit];
  const Ticks *const room = lane.outstanding.room(lane.outstanding.next()), *const limited = limit.room(limit.next());
  lane.list.pace = std::max(request.pace, kBeatEachCycle);
  lane.list.answered = false;
  Ticks address = std::max(start, lane.address_free), stalled;
  Beats beats;
  // A turn has no more transactions than the limit, so all times to wait for are known.
  const std::span<Burst> bursts = lane.list.used();
  for (std::size_t i = 0; i < bursts.size(); ++i) {
    const Ticks place = limited ? std::max(room[i], limited[i]) : room[i];
    if (place > address) {
      stalled += place - address;
      address = place;
    }
    bursts[i].request = lane.asked[i] = address;
    address += kCycle;
    beats += bursts[i].beats;
  }
  PortCounters& counters = pmu_.port(config_.side, static_cast<int>(port));
  (request.write ? counters.wr_stall_limit : counters.rd_stall_limit) += stalled;
  const auto bytes = static_cast<unsigned>(beats.count() * lane.list.beat_bytes);
  lane.payload->set_address(bursts[0].address);
  lane.payload->set_data_length(bytes);
  lane.payload->set_streaming_width(bytes);
  lane.payload->set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  sockets[port]->b_transport(*lane.payload, delay);
  bus_error_ |= lane.payload->is_response_error();
  if (!lane.list.answered)
    for (std::size_t i = 0; i < bursts.size(); ++i) {
      bursts[i].accepted = lane.asked[i];
      bursts[i].data_end = bursts[i].done = start + ticks(delay);
    }
  account(port, request.write, bursts.size(), beats, answer(lane, request));
}

Ticks AxiPort::answer(Lane& lane, AxiRequest& request) {
  Outstanding& limit = lane.limited[request.cursor->limit];
  Ticks *const next = lane.outstanding.next(), *const next_limited = limit.next();
  const Pace pace = lane.list.pace;
  Ticks stalled, address_free = lane.address_free, data_free = lane.data_free, done;
  const std::span<Burst> bursts = lane.list.used();
  for (std::size_t i = 0; i < bursts.size(); ++i) {
    Burst& burst = bursts[i];
    // An address is on the bus once the previous one was accepted.
    const Ticks wanted = std::max(lane.asked[i], address_free);
    if (burst.accepted > wanted) stalled += burst.accepted - wanted;
    const Ticks end = std::max(burst.data_end, data_free + burst.beats * pace);
    const Ticks burst_done = std::max(burst.done + (end - burst.data_end), end);
    burst.done = next[i] = burst_done;
    if (next_limited) next_limited[i] = burst_done;
    burst.data_end = data_free = end;
    address_free = std::max(address_free, burst.accepted + kCycle);
    done = std::max(done, burst_done);
  }
  if (lane.waveform)
    for (const Burst& burst : bursts) lane.waveform->add(burst.accepted, burst.done);
  lane.outstanding.pass(bursts.size());
  limit.pass(bursts.size());
  lane.address_free = address_free;
  lane.data_free = data_free;
  request.data_end_ = std::max(request.data_end_, data_free);
  request.done_ = std::max(request.done_, done);
  return stalled;
}

void AxiPort::account(std::size_t port, bool write, std::uint64_t transactions, Beats beats, Ticks stalled) {
  PortCounters& counters = pmu_.port(config_.side, static_cast<int>(port));
  if (write) {
    counters.wr_accepted += transactions;
    counters.wr_completed_m += transactions;
    counters.wr_completed_s += transactions;
    counters.wr_beats += beats;
    counters.wr_request_stalled += stalled;
  } else {
    counters.rd_accepted += transactions;
    counters.rd_completed += transactions;
    counters.rd_beats += beats;
    counters.rd_request_stalled += stalled;
  }
}

}  // namespace macaw::npu::timed
