#pragma once
#include <macaw/npu/timed_simulator.hpp>

#include "app/options.hpp"

namespace macaw::app {

/// Options for the memories around the NPU: --system, --memory-mode, --config.
struct MemoryOptions {
  std::string system, memory_mode, vela_config;

  void add_to(Command command);
  [[nodiscard]] npu::TimedOptions timed() const;
};

/// Options for the surroundings of the NPU: those of MemoryOptions, --timing-adapter, --clock, --traffic, -C.
struct TimingOptions : MemoryOptions {
  std::string timing_adapter = "on", clock;
  std::vector<std::string> params, traffic;

  void add_to(Command command);
  /// The options in the form of a call, with another memory mode if one is given.
  [[nodiscard]] std::vector<std::string> arguments(const std::string& other_mode = {}) const;
  /// kUsage: a -C that is not NAME=NUMBER, a --clock that is not a frequency.
  [[nodiscard]] Result<npu::TimedOptions> timed() const;
};

/// Parses a frequency of --clock, "500e6", "500MHz" or "500 MHz", in hertz; kUsage if it is malformed.
[[nodiscard]] Result<double> parse_clock(const std::string& text);

}  // namespace macaw::app
