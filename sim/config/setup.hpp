#pragma once
#include "sim/config/params.hpp"
#include "sim/config/system_config.hpp"

#include <macaw/npu/timed_simulator.hpp>

#include <array>
#include <optional>

namespace macaw::npu {

/// Settings that a user requests; empty texts mean defaults.
struct SetupRequest {
  std::string system = {}, memory_mode = {};
  std::string vela_config = {};  ///< path of a Vela ini whose systems and memory modes can be used in addition to
                                 ///< Macaw's own
  bool timing_adapter = true;
  /// Names of params.def, "clock_hz", "axi0." or "axi1." (U85 also "sram.", "ext.") and a memory field or
  /// "burst_bytes", "stream.address", "region0.address" to "region7.address"; later ones win.
  std::vector<std::pair<std::string, double>> overrides = {};
};

/// The part of a timed run's options that resolve_setup() needs.
[[nodiscard]] inline SetupRequest setup_request(const TimedOptions& options) {
  return {options.system, options.memory_mode, options.vela_config, options.timing_adapter, options.params};
}

/// Everything besides the network that a timed run depends on, with the source of each value.
struct Setup {
  SystemConfig system;
  MemoryMode mode;
  Params params;
  bool timing_adapter = true;
  std::array<std::uint32_t, 2> burst_bytes{};  ///< longest transactions on AXI0 (U85: SRAM) and AXI1 (EXT)
  /// Bus addresses of the command stream and of regions 0 to 7, as in QBASE and BASEP. Absent addresses are placed far
  /// apart and aligned to every transaction.
  std::array<std::optional<std::uint64_t>, 9> addresses{};
  std::string memory_source, mode_source;  ///< file or built-in name
  std::vector<std::string> overridden;     ///< names of params and fields that the user set; "axi0.read_latency"
};

/// Errors: kUsage (unknown names, with suggestions; values out of range; a parameter that the accelerator does not
/// have), kMismatch (a system made for other accelerators), kInvalidFile and kIo (problems with a file).
[[nodiscard]] Result<Setup> resolve_setup(const Accelerator& accelerator, const SetupRequest& request);

}  // namespace macaw::npu
