#pragma once
#include "sim/timed/burst.hpp"

#include <tlm_utils/multi_passthrough_target_socket.h>
#include <vector>

namespace macaw::npu::timed {

/// A memory that answers each AXI port in order, one beat per cycle and direction, after a fixed latency. If it has a
/// rate of its own, all accesses share it in the order of their addresses; an access that does not continue the bytes
/// of the previous one takes at least the time of `least_bytes`. Accesses of other masters take their share of its time
/// evenly: an access of the NPU waits for what is on average left of one of theirs, and is then slowed down by their
/// share. It models time only: the machine has the values.
class Memory : public sc_core::sc_module {
 public:
  struct Timing {
    Ticks read_latency{};   ///< address to first beat
    Ticks write_latency{};  ///< last beat to response
    Pace beat{};            ///< time of a beat at the memory's own rate; 0: limited only by the ports
    std::uint64_t least_bytes = 0;
    Ticks partial_write{};  ///< minimum time of a write to part of the word in which the previous write ended
    double traffic = 0;     ///< share of the time in which it serves other masters, 16 beats at a time
  };
  tlm_utils::multi_passthrough_target_socket<Memory> socket;

  Memory(const sc_core::sc_module_name& name, Timing timing);
  /// Resets to the state without any access.
  void restart();

 private:
  void end_of_elaboration() override;
  void b_transport(int port, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);

  /// The duration of `time` of the memory's own work, including the accesses of other masters in between.
  [[nodiscard]] Ticks stretched(Ticks time) const;
  struct Service {
    Ticks start, end;  ///< no end: at the rate of the port
  };
  [[nodiscard]] Service occupy(const Burst& burst, bool write, std::uint32_t beat_bytes);

  Timing timing_;
  Ticks wait_;          ///< mean wait of an access because the memory serves other masters
  double stretch_ = 1;  ///< ratio of the time with other masters to the time without
  Ticks free_;          ///< when it is free, at the memory's own rate
  struct Access {
    std::uint64_t end = UINT64_MAX;  ///< address behind the last access
    Ticks data{};                    ///< when its own bytes were transferred
  };
  std::array<Access, 2> last_;                 ///< read, write
  std::vector<Ticks> read_free_, write_free_;  ///< when the data bus of each port is free
};

}  // namespace macaw::npu::timed
