#pragma once
#include "sim/timed/burst.hpp"

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace macaw::npu::timed {

/// Between an AXI port of the core and memory of any make: hands every transaction on as a plain TLM-2.0 payload of its
/// own with data. What is written is what direct access finds there: values get to memory through that, when the
/// operation has finished. To a memory that only moves time it hands zeros, and takes no time to pass within a call:
/// its timing adapter serves both directions in one go.
class AxiBridge : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<AxiBridge> in;
  tlm_utils::simple_initiator_socket<AxiBridge> out;

  enum class Values : std::uint8_t { kDirect, kNone };

  explicit AxiBridge(const sc_core::sc_module_name& name, Values values = Values::kDirect);

  /// Reports the first answer of the target that a memory without values does not give.
  [[nodiscard]] std::optional<std::string> complaint() const;

  /// The memory from `address` on that `out` grants direct access to, for reading and writing; empty: none.
  [[nodiscard]] std::span<std::uint8_t> direct(std::uint64_t address);

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  /// Whether the target took it.
  [[nodiscard]] bool pass(Burst& burst, bool write, std::uint64_t bytes);

  Values values_;
  std::vector<std::uint8_t> data_;
  bool in_call_ = false;
  std::optional<std::string> complaint_;
};

}  // namespace macaw::npu::timed
