#pragma once
#include "sim/sc/burst.hpp"
#include "sim/timing/system_config.hpp"

#include <tlm_utils/multi_passthrough_initiator_socket.h>
#include <tlm_utils/multi_passthrough_target_socket.h>
#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace macaw::npu::sc {

/// The timing adapter of Arm's FPGA images and virtual platforms (ml-embedded-evaluation-kit,
/// core-platform/drivers/timing_adapter): sits between the AXI ports of one side and their memory, and delays
/// transactions so that the memory looks slower. A pass-through: what it does not delay it hands on unchanged.
class TimingAdapter : public sc_core::sc_module {
 public:
  /// One connection per AXI port; window, cap and limits are shared by all of them.
  tlm_utils::multi_passthrough_target_socket<TimingAdapter> target;
  tlm_utils::multi_passthrough_initiator_socket<TimingAdapter> initiator;

  /// `cap_share`: how much of the cap of all ports together passes.
  TimingAdapter(const sc_core::sc_module_name& name, const MemoryTiming& registers, double cap_share = 1);
  /// As if there had been no access; the windows repeat from now on.
  void restart();

 private:
  /// Completion times of the last transactions, in a row: one has to wait for the one `limit` places before it.
  class Outstanding {
   public:
    explicit Outstanding(std::uint32_t limit) : limit_(limit) {}
    void restart() {
      done_.assign(limit_ == 0 ? 0 : limit_ + std::max(limit_, kRow), Ticks());
      next_ = limit_;
    }
    /// How many of the next transactions wait for none of each other.
    [[nodiscard]] std::size_t at_once() const { return limit_ == 0 ? SIZE_MAX : limit_; }
    /// The times of the next transactions, at most as many as BurstList holds; null: there is no limit.
    [[nodiscard]] Ticks* next() {
      if (limit_ == 0) return nullptr;
      if (done_.size() - next_ < BurstList::kCapacity) {
        std::copy(done_.begin() + static_cast<std::ptrdiff_t>(next_ - limit_),
                  done_.begin() + static_cast<std::ptrdiff_t>(next_), done_.begin());
        next_ = limit_;
      }
      return &done_[next_];
    }
    void pass(std::size_t transactions) { next_ += limit_ == 0 ? 0 : transactions; }
    [[nodiscard]] std::size_t limit() const { return limit_; }

   private:
    static constexpr std::size_t kRow = 1024;  ///< transactions at least until those that count are moved to the front

    std::size_t limit_;
    std::vector<Ticks> done_;
    std::size_t next_ = 0;
  };

  void end_of_elaboration() override;
  void b_transport(int port, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  [[nodiscard]] Ticks admit(Ticks t, Beats beats);
  void leave_periods(Ticks now);
  /// Passes on the bursts of the list, each at the time that it was accepted.
  void forward(int port, BurstList& list, bool write);

  MemoryTiming registers_;
  double cap_share_;
  Ticks origin_;                 ///< when the first window opened
  Ticks period_, open_, phase_;  ///< of the window; a period of 0: no window
  Beats budget_;                 ///< per period; without a cap more than ever pass
  struct Period {
    Ticks begin;
    Beats used;  ///< admitted in it
  };
  std::vector<Period> periods_;   ///< in order; those before `first_period_` are over
  std::size_t first_period_ = 0;  ///< place among them
  std::size_t latest_ = 0;        ///< place of the one that the last transaction was admitted in
  Outstanding reads_, writes_, both_;
  struct Channel {
    Ticks address_free{}, data_free{};
  };
  std::vector<Channel> read_channels_, write_channels_;  ///< of each port
  tlm::tlm_generic_payload payload_;                     ///< of the bursts that pass, with the list that they came in
};

}  // namespace macaw::npu::sc
