#pragma once
#include <macaw/error.hpp>
#include <macaw/npu/accelerator.hpp>

#include <memory>
#include <optional>
#include <systemc>
#include <tlm>

namespace macaw::sc {

/// An Ethos-U as a SystemC module with TLM-2.0 sockets: registers, an interrupt, and AXI ports. A cycle of the NPU is 1
/// ns of simulated time, at SystemC's default resolution of 1 ps.
///
/// A write of CMD starts a job: the command stream at QBASE runs on the memories that BASEP0..7 point to at that time.
/// The results of an operation are in memory when it finishes; its time passes in b_transport calls, one for each AXI
/// transaction, with the bytes that memory holds. The memory behind the AXI sockets must therefore grant direct access
/// (get_direct_mem_ptr) for reading and writing. A job at addresses that no socket grants ends with STATUS.bus_status
/// set.
class NpuDevice : public sc_core::sc_module {
 public:
  /// `accelerator` must outlive the device: one of npu::accelerators().
  NpuDevice(const sc_core::sc_module_name& name, const npu::Accelerator& accelerator);
  ~NpuDevice() override;

  /// The memory-mapped registers (macaw/npu/registers.hpp), 32-bit accesses.
  [[nodiscard]] tlm::tlm_target_socket<>& registers();
  /// High while the NPU interrupts the host.
  [[nodiscard]] sc_core::sc_out<bool>& interrupt();
  /// AXI ports of `side`: 0 is AXI0 (U85: SRAM), 1 is AXI1 (U85: EXT).
  [[nodiscard]] std::size_t ports(int side) const;
  /// Every port of both sides must be bound, to a memory or to an interconnect; `port` is less than ports(side).
  [[nodiscard]] tlm::tlm_initiator_socket<>& axi(int side, std::size_t port);
  /// Why the last job ended early; empty if it completed or is still running.
  [[nodiscard]] std::optional<Error> fault() const;

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace macaw::sc
