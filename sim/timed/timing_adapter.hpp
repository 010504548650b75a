#pragma once
#include "sim/config/system_config.hpp"
#include "sim/timed/outstanding.hpp"

#include <tlm_utils/multi_passthrough_initiator_socket.h>
#include <tlm_utils/multi_passthrough_target_socket.h>
#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace macaw::npu::timed {

/// The timing adapter of Arm's FPGA images and virtual platforms (ml-embedded-evaluation-kit,
/// core-platform/drivers/timing_adapter): sits between the AXI ports of one side and their memory, and delays
/// transactions so that the memory looks slower. It changes nothing else.
class TimingAdapter : public sc_core::sc_module {
 public:
  /// One connection per AXI port; window, cap and limits are shared by all of them.
  tlm_utils::multi_passthrough_target_socket<TimingAdapter> target;
  tlm_utils::multi_passthrough_initiator_socket<TimingAdapter> initiator;

  /// `cap_share`: share of the cap of all ports together that is available.
  TimingAdapter(const sc_core::sc_module_name& name, const MemoryTiming& registers, double cap_share = 1);
  /// Resets to the state without any access; the windows repeat from now on.
  void restart();

 private:
  void end_of_elaboration() override;
  void b_transport(int port, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  /// Returns when a transaction requested at `t` passes, and adds it to its period. Transactions pass while the budget
  /// is not used up, so the last one may exceed it. A period whose window is over passes requests on to the next one.
  [[nodiscard]] Ticks admit(Ticks t, Beats beats) {
    if (open_ == Ticks()) return t;
    const Ticks local = t - origin_ + phase_;
    if (latest_ >= periods_.size()) return admit_later(local, beats);
    Period& latest = periods_[latest_];
    if (local < latest.begin || local - latest.begin >= open_ || latest.used >= budget_)
      return admit_later(local, beats);
    latest.used += beats;
    return t;
  }
  /// The same for a time since the start of the first period, if it does not pass in the period of the last
  /// transaction.
  [[nodiscard]] Ticks admit_later(Ticks t, Beats beats);
  void leave_periods(Ticks now);
  /// Delays the bursts of the list, none of which waits for another. `in_parts`: the payload carries more than these.
  void pass(int port, tlm::tlm_generic_payload& payload, BurstList& list, Ticks start, bool in_parts);
  /// Forwards the bursts of the list that the payload carries.
  void forward(int port, tlm::tlm_generic_payload& payload, BurstList& list);
  /// The same for some of the bursts that came with `whole`; `beats` is their sum.
  void forward_part(int port, const tlm::tlm_generic_payload& whole, BurstList& list, Beats beats);

  MemoryTiming registers_;
  double cap_share_;
  Ticks origin_;                 ///< when the first window opened
  Ticks period_, open_, phase_;  ///< of the window; a period of 0: no window
  Ticks read_latency_, write_latency_;
  Beats budget_;  ///< per period; without a cap, more than can ever pass
  struct Period {
    Ticks begin;
    Beats used;  ///< admitted in the period
  };
  std::vector<Period> periods_;   ///< in order; those before `first_period_` are over
  std::size_t first_period_ = 0;  ///< index of the first period that is not over
  std::size_t latest_ = 0;        ///< index of the period in which the last transaction was admitted
  Outstanding reads_, writes_, both_;
  struct Channel {
    Ticks address_free{}, data_free{};
  };
  std::vector<Channel> read_channels_, write_channels_;  ///< of each port
  tlm::tlm_generic_payload payload_;                     ///< for bursts that are forwarded separately from others that
                                                         ///< came with them
};

}  // namespace macaw::npu::timed
