#pragma once
#include <string>
#include <tlm>

namespace macaw::sc {

/// A model of a memory, from a library that a system file names by `engine` (docs/TIMING_MODEL.md, Engines). Each AXI
/// port of the NPU hands it every transaction as one b_transport call with a plain payload, at the time that the call's
/// delay says; it answers with the delay after which the last byte is through (a write: the response), and returns
/// without letting time pass. It moves time only: the bytes of a payload are zeros, and those of a read are not looked
/// at.
class MemoryEngine {
 public:
  virtual ~MemoryEngine() = default;
  /// Binds one of the ports; called for each of a side before the simulation starts.
  virtual void bind(tlm::tlm_initiator_socket<>& port) = 0;
  /// As if there had been no access, from now on.
  virtual void restart() = 0;
};

struct MemoryEngineRequest {
  std::string name;   ///< of the module
  std::string setup;  ///< engine_setup of the system file
  /// Clock of the NPU, whose cycle is 1 ns of simulated time whatever its clock: a time of the memory's own counts as
  /// clock_hz / 1e9 of itself.
  double clock_hz = 0;
};

}  // namespace macaw::sc

extern "C" {
/// Symbols that the library exports; it uses the SystemC library that Macaw uses. The caller deletes the engine;
/// nullptr: there is none, and `error` says why.
macaw::sc::MemoryEngine* macaw_memory_engine(const macaw::sc::MemoryEngineRequest& request, std::string& error);
}
