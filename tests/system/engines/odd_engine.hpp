#pragma once
#include <macaw/sc/memory_engine.hpp>

#include <tlm_utils/multi_passthrough_target_socket.h>

/// An engine whose accesses all do the same.
class OddEngine : public sc_core::sc_module, public macaw::sc::MemoryEngine {
 public:
  using Access = void (*)(tlm::tlm_generic_payload& payload);

  OddEngine(const sc_core::sc_module_name& name, Access access) : sc_core::sc_module(name), access_(access) {
    socket_.register_b_transport(this, &OddEngine::b_transport);
  }
  void bind(tlm::tlm_initiator_socket<>& port) override { port.bind(socket_); }
  void restart() override {}

 private:
  void b_transport(int, tlm::tlm_generic_payload& payload, sc_core::sc_time&) { access_(payload); }

  tlm_utils::multi_passthrough_target_socket<OddEngine> socket_{"socket"};
  Access access_;
};
