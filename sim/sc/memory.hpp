#pragma once
#include "sim/sc/burst.hpp"

#include <tlm_utils/multi_passthrough_target_socket.h>
#include <vector>

namespace macaw::npu::sc {

/// A memory that answers each AXI port in order, one beat per cycle and direction, after a fixed latency. It moves time
/// only: values are the machine's.
class Memory : public sc_core::sc_module {
 public:
  struct Timing {
    Ticks read_latency = 0;   ///< address to first beat
    Ticks write_latency = 0;  ///< last beat to response
  };
  tlm_utils::multi_passthrough_target_socket<Memory> socket;

  Memory(const sc_core::sc_module_name& name, Timing timing);

 private:
  void end_of_elaboration() override;
  void b_transport(int port, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);

  Timing timing_;
  std::vector<Ticks> read_free_, write_free_;  ///< data bus of each port
};

}  // namespace macaw::npu::sc
