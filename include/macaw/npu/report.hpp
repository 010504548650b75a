#pragma once
#include <macaw/npu/pmu.hpp>
#include <macaw/npu/simulator.hpp>

#include <string>
#include <utility>
#include <vector>

namespace macaw::npu {

struct TimedOptions {
  std::string system = "ideal";  ///< a name of configs/systems, or the path of such a file
  std::string memory_mode = {};  ///< Vela's name ("Shared_Sram"); empty: the system's default
  bool timing_adapter = true;    ///< false: ideal memory behind both sides
  std::vector<std::pair<std::string, double>> params =
      {};              ///< timing constants to override, as `macaw list params` names them
  bool values = true;  ///< false: time only, no tensor arithmetic, no outputs
  FunctionalOptions functional = {};
  std::uint64_t max_cycles = 10'000'000'000;  ///< per command stream
  std::uint64_t max_steps = 100'000'000;      ///< IFM blocks of all operations of a command stream
};

/// One operation of a command stream. Times in NPU cycles from the start of the run.
struct OperationTiming {
  std::size_t step = 0;             ///< index of the command stream in Artifact::steps
  std::uint32_t command_index = 0;  ///< in its stream, register writes counted
  std::string name;                 ///< "NPU_OP_CONV"
  std::uint64_t issued = 0;         ///< left the command processor
  std::uint64_t start = 0;          ///< first fetch
  std::uint64_t end = 0;            ///< last write response
  /// Cycles that each unit worked on it; units overlap. A read unit counts from its request to the last address.
  std::vector<std::pair<std::string, std::uint64_t>> busy;
  std::string bound;  ///< the unit of `busy` with most cycles
};

struct TimedResult {
  FunctionalResult values;   ///< empty if options.values was false
  PmuCounters pmu;           ///< of all command streams together
  std::uint64_t cycles = 0;  ///< NPU_ACTIVE
  std::vector<OperationTiming> operations;
  std::string system, memory_mode;
};

/// Runs a compiled network with time: values as run_functional computes them, cycles and transactions from the SystemC
/// model. One run at a time per process; a second one waits.
///
/// Errors: those of run_functional; kUsage (unknown parameter, system or memory mode), kMismatch (a system made for
/// other accelerators), kUnsupported (no timed model of the accelerator, more than max_cycles or max_steps).
[[nodiscard]] Result<TimedResult> run_timed(const Artifact& artifact, const Accelerator& accelerator,
                                            std::span<const NamedTensor> inputs, const TimedOptions& options = {});

}  // namespace macaw::npu
