#pragma once
#include "sim/sc/burst.hpp"

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <span>
#include <vector>

namespace macaw::npu::sc {

/// Between an AXI port of the core and memory of any make: hands every transaction on as a plain TLM-2.0 payload of its
/// own with data. What is written is what direct access finds there: values get to memory through that, when the
/// operation has finished.
class AxiBridge : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<AxiBridge> in;
  tlm_utils::simple_initiator_socket<AxiBridge> out;

  explicit AxiBridge(const sc_core::sc_module_name& name);

  /// The memory from `address` on that `out` grants direct access to, for reading and writing; empty: none.
  [[nodiscard]] std::span<std::uint8_t> direct(std::uint64_t address);

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  /// Whether the target took it.
  [[nodiscard]] bool pass(Burst& burst, bool write, std::uint64_t bytes);

  std::vector<std::uint8_t> data_;
};

}  // namespace macaw::npu::sc
