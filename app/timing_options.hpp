#pragma once
#include <macaw/npu/timed_simulator.hpp>

#include "app/options.hpp"

namespace macaw::app {

/// The options that say what is around the NPU: --system, --memory-mode, --config, --timing-adapter, --clock,
/// --traffic, -C.
struct TimingOptions {
  std::string system, memory_mode, vela_config, timing_adapter = "on", clock;
  std::vector<std::string> params, traffic;

  void add_to(Command command);
  /// The options as a call takes them, with another memory mode if one is given.
  [[nodiscard]] std::vector<std::string> arguments(const std::string& other_mode = {}) const;
  /// kUsage: a -C that is not NAME=NUMBER, a --clock that is not a frequency.
  [[nodiscard]] Result<npu::TimedOptions> timed() const;
};

/// A frequency of an option --clock, "500e6", "500MHz" or "500 MHz", in hertz; kUsage if it is none.
[[nodiscard]] Result<double> parse_clock(const std::string& text);

}  // namespace macaw::app
