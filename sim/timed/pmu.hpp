#pragma once
#include <macaw/npu/accelerator.hpp>
#include <macaw/npu/pmu.hpp>

#include "sim/isa/pmu_events.hpp"
#include "sim/timed/ticks.hpp"

#include <array>
#include <optional>
#include <systemc>
#include <vector>

namespace macaw::npu::timed {

using Transactions = std::uint64_t;

/// Counts of one AXI port, taken at its socket.
struct PortCounters {
#define MACAW_PORT_EVENT(distance, name, unit, counter, meaning) unit counter{};
#include "sim/isa/events.def"

  PortCounters& operator+=(const PortCounters& other);
  /// Rounds times up to the next whole cycle.
  void round_up();
};

/// Accumulators of the performance monitor. All events are counted at once; the reader selects those that a driver
/// could have programmed into its few counters.
class Pmu : public sc_core::sc_module {
 public:
  Pmu(const sc_core::sc_module_name& name, const Accelerator& accelerator);

  /// Adds a span of time in which the cause held.
  void add(Cause cause, Ticks span) { spans_[static_cast<std::size_t>(cause)] += span; }
  void add(Tally tally, std::uint64_t number) { tallies_[static_cast<std::size_t>(tally)] += number; }
  /// Calls `wait`, which may suspend the calling process, and adds the time that passes to the cause, as it passes.
  /// Returns the result of `wait`.
  template <class Wait>
  auto stalled(Cause cause, Wait&& wait) {
    return stalled(cause, now(), wait);
  }
  /// Adds the time from `since` on, to which the process has run ahead.
  template <class Wait>
  auto stalled(Cause cause, Ticks since, Wait&& wait) {
    const Open open(open_[static_cast<std::size_t>(cause)], spans_[static_cast<std::size_t>(cause)], since);
    return wait();
  }
  /// Continues counting from the next whole cycle, so that a further stream is counted as from the start.
  void round_up();
  /// Port `port` of side 0 (AXI0, SRAM) or 1 (AXI1, EXT).
  [[nodiscard]] PortCounters& port(int side, int port) { return ports_[side][static_cast<std::size_t>(port)]; }

  /// Current count of an event; empty if the model does not count it.
  [[nodiscard]] std::optional<std::uint64_t> count(const PmuEventRow& event) const;
  /// Every event of the family by driver name.
  [[nodiscard]] PmuCounters counters() const;

 private:
  /// Spans of a cause that have not ended yet.
  struct OpenSpans {
    std::uint64_t number = 0;
    Ticks starts{};  ///< their sum
  };
  class Open {
   public:
    Open(OpenSpans& open, Ticks& sum, Ticks since) : open_(open), sum_(sum), since_(since) {
      ++open_.number;
      open_.starts += since_;
    }
    ~Open() {
      --open_.number;
      open_.starts -= since_;
      sum_ += now() - since_;
    }
    Open(const Open&) = delete;
    Open& operator=(const Open&) = delete;

   private:
    OpenSpans& open_;
    Ticks& sum_;
    Ticks since_;
  };

  [[nodiscard]] std::uint64_t count(Causes causes) const;
  [[nodiscard]] std::uint64_t count(const PortSource& source) const;

  const Accelerator& accelerator_;
  std::array<Ticks, kCauses> spans_{};
  std::array<OpenSpans, kCauses> open_{};
  std::array<std::uint64_t, kTallies> tallies_{};
  std::array<std::vector<PortCounters>, 2> ports_;
};

}  // namespace macaw::npu::timed
