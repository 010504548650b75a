#pragma once
#include "sim/timed/burst.hpp"

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace macaw::npu::timed {

/// Connects an AXI port of the core to any implementation of a memory: forwards every transaction as a separate plain
/// TLM-2.0 payload with data. Writes carry the bytes that direct access finds at their address, because values reach
/// memory through direct access when the operation has finished. A memory that models only time receives zeros and must
/// not let time pass within a call: its timing adapter serves both directions in one call.
class AxiBridge : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<AxiBridge> in;
  tlm_utils::simple_initiator_socket<AxiBridge> out;

  enum class Values : std::uint8_t { kDirect, kNone };

  explicit AxiBridge(const sc_core::sc_module_name& name, Values values = Values::kDirect);

  /// Reports the first error of the target: an error response, or time that passed within a call to a memory without
  /// values.
  [[nodiscard]] std::optional<std::string> complaint() const;

  /// Returns the memory from `address` on to which `out` grants direct access for reading and writing; empty if none.
  [[nodiscard]] std::span<std::uint8_t> direct(std::uint64_t address);

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  /// Returns whether the target accepted it.
  [[nodiscard]] bool pass(Burst& burst, bool write, std::uint64_t bytes);

  Values values_;
  std::vector<std::uint8_t> data_;
  bool in_call_ = false;
  std::optional<std::string> complaint_;
};

}  // namespace macaw::npu::timed
