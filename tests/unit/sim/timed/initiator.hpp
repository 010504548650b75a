#pragma once
#include "sim/timed/burst.hpp"

#include <tlm_utils/simple_initiator_socket.h>

namespace macaw::npu::timed {

/// Hands lists of transactions to what its socket is bound to.
class Initiator : public sc_core::sc_module {
 public:
  tlm_utils::simple_initiator_socket<Initiator> socket;
  explicit Initiator(const sc_core::sc_module_name& name) : sc_core::sc_module(name), socket("socket") {}
  /// Whether every transaction of the list was answered well.
  bool pass(BurstList& list, bool write) {
    tlm::tlm_generic_payload payload;
    payload.set_command(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
    payload.set_extension(&list);
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    socket->b_transport(payload, delay);
    payload.clear_extension(&list);
    return payload.is_response_ok();
  }
};

}  // namespace macaw::npu::timed
