#pragma once
#include "sim/timed/burst.hpp"

#include <tlm_utils/multi_passthrough_target_socket.h>
#include <vector>

namespace macaw::npu::timed {

/// A memory that answers each AXI port in order, one beat per cycle and direction, after a fixed latency. With a rate
/// of its own, all accesses share it in the order of their addresses; one that does not continue the bytes of the
/// access before it takes the time of `least_bytes` at least. Accesses of other masters take their share of its time
/// evenly: an access of the NPU waits for what is on average left of one of theirs, and then takes that much longer. It
/// moves time only: values are the machine's.
class Memory : public sc_core::sc_module {
 public:
  struct Timing {
    Ticks read_latency{};   ///< address to first beat
    Ticks write_latency{};  ///< last beat to response
    Pace beat{};            ///< time of a beat at the memory's own rate; 0: no limit but the ports
    std::uint64_t least_bytes = 0;
    Ticks partial_write{};  ///< least time of a write to part of the word that the write before ended in
    double traffic = 0;     ///< share of the time that it is busy with other masters, 16 beats of theirs at a time
  };
  tlm_utils::multi_passthrough_target_socket<Memory> socket;

  Memory(const sc_core::sc_module_name& name, Timing timing);
  /// As if there had been no access.
  void restart();

 private:
  void end_of_elaboration() override;
  void b_transport(int port, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);

  /// The time that `time` of the memory's own work takes, with the accesses of other masters between.
  [[nodiscard]] Ticks stretched(Ticks time) const;
  struct Service {
    Ticks start, end;  ///< no end: at the rate of the port
  };
  [[nodiscard]] Service occupy(const Burst& burst, bool write, std::uint32_t beat_bytes);

  Timing timing_;
  Ticks wait_;          ///< of an access that finds the memory at work for other masters, on average over all
  double stretch_ = 1;  ///< time with other masters over time without
  Ticks free_;          ///< at the memory's own rate
  struct Access {
    std::uint64_t end = UINT64_MAX;  ///< address behind the last access
    Ticks data{};                    ///< when its own bytes were through
  };
  std::array<Access, 2> last_;                 ///< read, write
  std::vector<Ticks> read_free_, write_free_;  ///< data bus of each port
};

}  // namespace macaw::npu::timed
