#pragma once
#include <string>
#include <tlm>

namespace macaw::sc {

/// A model of a memory, from a library that a system file names by `engine` (docs/TIMING_MODEL.md, Engines). Each AXI
/// port of the NPU passes every transaction as one b_transport call with a plain payload, at the time given by the
/// call's delay; the engine returns the delay until the last byte has been transferred (for a write: until the
/// response), without letting time pass. It models time only: the bytes of a payload are zeros, and those of a read are
/// ignored.
class MemoryEngine {
 public:
  virtual ~MemoryEngine() = default;
  /// Binds one of the ports; called for each of a side before the simulation starts.
  virtual void bind(tlm::tlm_initiator_socket<>& port) = 0;
  /// Resets the engine to its state before the first access.
  virtual void restart() = 0;
};

struct MemoryEngineRequest {
  std::string name;   ///< of the module
  std::string setup;  ///< engine_setup of the system file
  /// Clock of the NPU. Its cycle is 1 ns of simulated time whatever the clock, so that a time of the memory is to be
  /// multiplied by clock_hz / 1e9.
  double clock_hz = 0;
};

}  // namespace macaw::sc

extern "C" {
/// Symbols that the library exports; it must use the same SystemC library as Macaw. The caller deletes the engine; on
/// failure the result is nullptr and `error` holds the reason.
macaw::sc::MemoryEngine* macaw_memory_engine(const macaw::sc::MemoryEngineRequest& request, std::string& error);
}
