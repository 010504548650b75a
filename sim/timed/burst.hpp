#pragma once
#include "sim/timed/ticks.hpp"

#include <array>
#include <span>
#include <tlm>

namespace macaw::npu::timed {

/// One AXI transaction and its times on the path to memory.
struct Burst {
  std::uint64_t address = 0;  ///< byte address
  Beats beats{};
  bool partial = false;  ///< its first or last beat is not a whole word
  Ticks request{};       ///< in: the address is valid from here on; a unit that forwards the list may set a later time
  Ticks accepted{};      ///< out: address handshake
  Ticks data_end{};      ///< out: last data beat, as far as the target limits it
  Ticks done{};          ///< out: transaction complete (reads: data_end, writes: response)
};

/// Transactions of one direction that an initiator passes in one b_transport call. Every target on the path processes
/// them in order, each at its own time; the call itself takes no simulated time. If a target ignores the extension,
/// `answered` stays false and its delay annotation counts instead; initiators then send one burst per call.
class BurstList : public tlm::tlm_extension<BurstList> {
 public:
  static constexpr std::size_t kCapacity = 16;

  std::array<Burst, kCapacity> bursts;
  std::size_t first = 0, count = 0;  ///< the bursts of the call
  Pace pace = kBeatEachCycle;        ///< minimum time of a beat that the initiator's side accepts or supplies
  std::uint32_t beat_bytes = 8;
  bool answered = false;

  [[nodiscard]] std::span<Burst> used() { return {bursts.data() + first, count}; }

  /// A copy of the payload has no list: its responses would not be received.
  tlm::tlm_extension_base* clone() const override { return nullptr; }
  void copy_from(const tlm::tlm_extension_base& other) override { *this = static_cast<const BurstList&>(other); }
  /// The port that sends the list owns it, even if a payload that carries it is destroyed early.
  void free() override {}
};

}  // namespace macaw::npu::timed
