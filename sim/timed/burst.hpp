#pragma once
#include "sim/timed/ticks.hpp"

#include <array>
#include <span>
#include <tlm>

namespace macaw::npu::timed {

/// One AXI transaction and the times that the path to memory gave it.
struct Burst {
  std::uint64_t address = 0;  ///< byte address
  Beats beats{};
  bool partial = false;  ///< its first or last beat is not a whole word
  Ticks request{};       ///< in: the address is valid from here on; a unit that passes the list on may set a later time
  Ticks accepted{};      ///< out: address handshake
  Ticks data_end{};      ///< out: last data beat, as far as the target limits it
  Ticks done{};          ///< out: transaction complete (reads: data_end, writes: response)
};

/// Transactions of one direction that an initiator hands over in one b_transport call. Every target on the way works
/// them off in order, each at its own time; the call itself takes no simulated time. A target that ignores the
/// extension leaves `answered` false and its delay annotation counts instead; initiators then send one burst per call.
class BurstList : public tlm::tlm_extension<BurstList> {
 public:
  static constexpr std::size_t kCapacity = 16;

  std::array<Burst, kCapacity> bursts;
  std::size_t first = 0, count = 0;  ///< those of the call
  Pace pace = kBeatEachCycle;        ///< least time of a beat that the initiator's side takes or supplies
  std::uint32_t beat_bytes = 8;
  bool answered = false;

  [[nodiscard]] std::span<Burst> used() { return {bursts.data() + first, count}; }

  /// A copy of the payload carries none: its answers would not be received.
  tlm::tlm_extension_base* clone() const override { return nullptr; }
  void copy_from(const tlm::tlm_extension_base& other) override { *this = static_cast<const BurstList&>(other); }
  /// The list belongs to the port that sends it, also when a payload that carries it ends early.
  void free() override {}
};

}  // namespace macaw::npu::timed
