#pragma once
#include "sim/timed/burst_cursor.hpp"
#include "sim/timed/condition.hpp"
#include "sim/timed/core_config.hpp"
#include "sim/timed/outstanding.hpp"
#include "sim/timed/pmu.hpp"
#include "sim/timed/trace.hpp"

#include <tlm_utils/simple_initiator_socket.h>
#include <algorithm>
#include <array>
#include <memory>
#include <vector>

namespace macaw::npu::timed {

/// Masters inside the NPU, in the order in which a port serves simultaneous requests.
enum class Master : std::uint8_t { kCommand, kScale, kWeight, kIfm, kOfm, kDmaRead, kDmaWrite };

/// A number of transactions that a unit requests. The unit owns the object and may reuse it once it is complete.
class AxiRequest {
 public:
  AxiRequest() = default;
  AxiRequest(const AxiRequest&) = delete;
  AxiRequest& operator=(const AxiRequest&) = delete;

  Master master = Master::kIfm;
  bool write = false;
  BurstCursor* cursor = nullptr;  ///< source of the transactions; consecutive requests may share one
  Beats beats{};                  ///< stop after the transaction that reaches this number
  Pace pace = kBeatEachCycle;     ///< minimum time of a beat
  /// Promise: before its next wait, the posting process issues no request of a higher rank and triggers no immediate
  /// notification.
  bool last = false;

  /// Whether the times are known.
  [[nodiscard]] bool served() const { return served_; }
  /// Time at which wait_data() returns.
  [[nodiscard]] Ticks data_reached() const { return reached(&AxiRequest::data_end_); }
  [[nodiscard]] Ticks data_end() const { return data_end_; }
  [[nodiscard]] Ticks done() const { return done_; }

  /// Suspends the caller until the last address was accepted; data_end() and done() are known from then on.
  void wait_issued() { await(&AxiRequest::issued_); }
  /// Suspends the caller until the last beat was moved.
  void wait_data() { await(&AxiRequest::data_end_); }
  /// Suspends the caller until the last transaction is complete.
  void wait_done() { await(&AxiRequest::done_); }

 private:
  friend class AxiPort;
  using Time = Ticks AxiRequest::*;

  void await(Time time);
  /// Time at which a process that waits for `time` resumes: not before the last address was accepted.
  [[nodiscard]] Ticks reached(Time time) const { return std::max(issued_, this->*time); }
  /// Marks the times as known; `issued`: when the last address will have been accepted.
  void set_served(Ticks issued);

  bool served_ = true;  ///< the times are known
  Ticks posted_, issued_, data_end_, done_;
  std::uint64_t posted_delta_ = 0;  ///< the delta cycle of post()
  Beats left_;
  Time waited_for_ = nullptr;  ///< the time at which a waiting process resumes
  Condition reached_;          ///< notified when it has been reached
};

class AxiMasterInterface : public virtual sc_core::sc_interface {
 public:
  /// Queues a request; returns at once.
  virtual void post(AxiRequest& request) = 0;
};

/// One side of the NPU (AXI0/SRAM or AXI1/EXT) with its physical ports, each a TLM-2.0 initiator socket. Reads and
/// writes have an address and a data channel each. Requests are served in time order, then by Master; a request that
/// still has transactions after its turn is queued again. Turns are given to requests of earlier delta cycles, and to
/// reads before writes, so that the result does not depend on the order in which processes run. A request that is the
/// last of its process does not wait for a delta cycle if no other process is active, since none can issue a request.
/// Every port issues an address per cycle while fewer transactions than its limit are outstanding, and moves a beat per
/// cycle, or as slowly as the master requires.
class AxiPort : public sc_core::sc_module, public AxiMasterInterface {
 public:
  struct Config {
    int side = 0;
    int ports = 1;                      ///< a power of two
    int max_reads = 1, max_writes = 1;  ///< outstanding, per port
    int beat_bytes = 8;
    int turn = 8;           ///< transactions of a master before the next is considered, at most 16
    bool waveform = false;  ///< show outstanding transactions of each port
  };
  sc_core::sc_export<AxiMasterInterface> master;
  sc_core::sc_vector<tlm_utils::simple_initiator_socket<AxiPort>> sockets;
  bool answered_at_once = false;  ///< no target lets time pass in a call, so any process may make the call

  SC_HAS_PROCESS(AxiPort);
  AxiPort(const sc_core::sc_module_name& name, const Config& config, Pmu& pmu);

  void post(AxiRequest& request) override;
  /// Requests that have transactions left.
  [[nodiscard]] std::size_t waiting() const { return reads_.queue.size() + writes_.queue.size(); }
  /// True once a target has answered a transaction with an error.
  [[nodiscard]] bool bus_error() const { return bus_error_; }
  /// Resets to the initial state, with the given limits: waiting requests are dropped. No process of the port may be
  /// running.
  void restart(const std::optional<std::array<AxiLimit, 4>>& limits);

 private:
  struct Lane {
    Outstanding outstanding{1};          ///< of the port
    std::array<Outstanding, 4> limited;  ///< by the limit that applies to the transactions
    Ticks address_free{}, data_free{};
    BurstList list;
    std::unique_ptr<tlm::tlm_generic_payload> payload;  ///< destroyed before the list, which its destructor calls
    std::unique_ptr<SpanCount> waveform;                ///< transactions outstanding
    std::array<Ticks, BurstList::kCapacity> asked{};    ///< request time of each burst in the list
  };
  struct Direction {
    std::vector<AxiRequest*> queue;
    AxiRequest* served = nullptr;  ///< request that has its turn
    Ticks free{};                  ///< when the next turn may begin
    sc_core::sc_event turn;        ///< notified by a request that came to an empty queue
    std::vector<Lane> lanes;
  };

  void serve_reads();
  void serve_writes();
  void serve_turn(Direction& direction);
  /// Whether a request that is posted now gets its turn regardless of other activity at this time.
  [[nodiscard]] bool is_first(const Direction& direction) const;
  void take_turn(Direction& direction, AxiRequest& request);
  /// Returns the request whose turn it is; null if there is none.
  [[nodiscard]] static AxiRequest* next(const Direction& direction);
  void fill(Direction& direction, AxiRequest& request);
  void send(std::size_t port, Lane& lane, AxiRequest& request);
  /// Processes the responses to the transactions of the lane; returns how long their addresses waited.
  Ticks answer(Lane& lane, AxiRequest& request);
  void account(std::size_t port, bool write, std::uint64_t transactions, Beats beats, Ticks stalled);

  Config config_;
  Pmu& pmu_;
  Direction reads_, writes_;
  bool bus_error_ = false;
};

}  // namespace macaw::npu::timed
