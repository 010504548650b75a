#include "app/timing_options.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "base/number_text.hpp"

namespace macaw::app {
namespace {

/// "name=value" of an option.
Result<std::pair<std::string, double>> parse_param(const std::string& option, const std::string& text) {
  const auto equals = text.find('=');
  if (equals != std::string::npos)
    if (const auto value = io::number_of<double>(std::string_view(text).substr(equals + 1)))
      return std::pair{text.substr(0, equals), *value};
  return fail(ErrorCode::kUsage, fmt::format("{} {}: expected NAME=NUMBER", option, text));
}

/// The memory field of "ext=0.3"; both pairs of port names refer to the two sides of any NPU.
Result<std::pair<std::string, double>> parse_traffic(const std::string& text) {
  MACAW_ASSIGN(const auto param, parse_param("--traffic", text));
  for (const auto& [name, side] : {std::pair("axi0", 0), {"sram", 0}, {"axi1", 1}, {"ext", 1}})
    if (param.first == name) return std::pair{fmt::format("axi{}.traffic", side), param.second};
  return fail(ErrorCode::kUsage, fmt::format("--traffic {}: expected axi0, axi1, sram or ext before '='", text));
}

}  // namespace

Result<double> parse_clock(const std::string& text) {
  constexpr std::array<std::pair<std::string_view, double>, 5> kUnits{
      {{"", 1}, {"Hz", 1}, {"kHz", 1e3}, {"MHz", 1e6}, {"GHz", 1e9}}};
  for (const auto& [name, factor] : kUnits) {
    std::string_view number = text;
    if (!number.ends_with(name)) continue;
    number.remove_suffix(name.size());
    if (!name.empty() && number.ends_with(' ')) number.remove_suffix(1);
    const auto value = io::number_of<double>(number);
    if (value && std::isfinite(*value) && *value > 0) return *value * factor;
  }
  return fail(ErrorCode::kUsage,
              fmt::format("--clock {}: expected a frequency above 0, such as 500e6 or 500MHz", text));
}

void MemoryOptions::add_to(Command command) {
  command.add_option("--system", system,
                     "memory system: a name of 'macaw list systems' or of --config, or a .toml file (default: by "
                     "accelerator)");
  command.add_option("--memory-mode", memory_mode,
                     "Sram_Only, Shared_Sram, Dedicated_Sram or a mode of --config (default: the system's)");
  command.add_option("--config", vela_config, "Vela configuration file (vela.ini): its systems and memory modes");
}

npu::TimedOptions MemoryOptions::timed() const {
  npu::TimedOptions options;
  options.system = system;
  options.memory_mode = memory_mode;
  options.vela_config = vela_config;
  return options;
}

void TimingOptions::add_to(Command command) {
  MemoryOptions::add_to(command);
  command.add_option("--timing-adapter", timing_adapter, "off: ideal memory (default: on)").one_of({"on", "off"});
  command.add_option("--clock", clock,
                     "NPU clock, in Hz or e.g. 500MHz (default: the system's); changes milliseconds, not cycles");
  command
      .add_option("--traffic", traffic,
                  "bandwidth share used by other bus masters, 0 to 0.95, e.g. ext=0.3 (axi0 or sram, axi1 or ext); "
                  "repeatable")
      .one_value();
  command
      .add_option("-C", params,
                  "override a timing constant ('macaw list params'), clock_hz or a property of a memory "
                  "(axi0.read_latency); repeatable")
      .one_value();
}

std::vector<std::string> TimingOptions::arguments(const std::string& other_mode) const {
  std::vector<std::string> all;
  const auto add = [&](const char* option, const std::string& value) {
    if (!value.empty()) all.insert(all.end(), {option, value});
  };
  add("--system", system);
  add("--memory-mode", other_mode.empty() ? memory_mode : other_mode);
  add("--config", vela_config);
  if (timing_adapter != "on") add("--timing-adapter", timing_adapter);
  add("--clock", clock);
  for (const auto& share : traffic) add("--traffic", share);
  for (const auto& param : params) add("-C", param);
  return all;
}

Result<npu::TimedOptions> TimingOptions::timed() const {
  auto options = MemoryOptions::timed();
  options.timing_adapter = timing_adapter == "on";
  for (const auto& text : traffic) {
    MACAW_ASSIGN(auto param, parse_traffic(text));
    options.params.push_back(std::move(param));
  }
  for (const auto& text : params) {
    MACAW_ASSIGN(auto param, parse_param("-C", text));
    options.params.push_back(std::move(param));
  }
  if (!clock.empty()) {
    MACAW_ASSIGN(const double hertz, parse_clock(clock));
    options.params.emplace_back("clock_hz", hertz);
  }
  return options;
}

}  // namespace macaw::app
