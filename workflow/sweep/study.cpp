#include "workflow/sweep/study.hpp"

namespace macaw::sweep {
namespace {

using run::TomlReader;

Result<Network> read_network(const TomlReader& reader) {
  MACAW_CHECK(reader.only({"artifact", "graph", "compile", "inputs"}));
  Network network;
  MACAW_ASSIGN(network.inputs, reader.texts<std::string>("inputs"));
  if (reader.table.contains("artifact") == reader.table.contains("graph"))
    return reader.error("artifact", "or 'graph' must be there, and not both");
  if (reader.table.contains("artifact")) {
    if (reader.table.contains("compile")) return reader.error("compile", "goes with a graph");
    MACAW_ASSIGN(network.file, reader.text("artifact"));
    return network;
  }
  MACAW_ASSIGN(network.file, reader.text("graph"));
  MACAW_ASSIGN(network.compile, reader.text("compile"));
  if (network.compile == "macaw") return network;
  for (const std::string_view part : {"{graph}", "{accelerator}", "{output}"})
    if (network.compile.find(part) == std::string::npos)
      return reader.error("compile", "must be \"macaw\" or a command with {graph}, {accelerator} and {output}");
  return network;
}

Result<run::ProcessLimits> read_limits(const TomlReader& reader) {
  MACAW_CHECK(reader.only({"seconds", "memory_mib"}));
  run::ProcessLimits limits;
  MACAW_ASSIGN(limits.seconds, reader.positive("seconds", limits.seconds));
  constexpr double kMebibyte = 1 << 20, kMost = 1 << 24;
  MACAW_ASSIGN(const auto memory, reader.positive("memory_mib", static_cast<double>(limits.memory) / kMebibyte));
  if (memory > kMost) return reader.error("memory_mib", "must be at most 16777216");
  limits.memory = static_cast<std::uint64_t>(memory * kMebibyte);
  return limits;
}

}  // namespace

Result<Study> parse_study(std::string_view toml, const std::string& file) {
  MACAW_ASSIGN(const auto parsed, npu::parse_toml(toml, file));
  const TomlReader top{parsed, file, "top level"};
  MACAW_CHECK(top.only({"network", "axes", "limits"}));
  Study study;
  const auto* networks = parsed.get_as<toml::array>("network");
  if (networks == nullptr || networks->empty()) return top.error("network", "must be a list of tables ([[network]])");
  for (const auto& node : *networks) {
    const auto* table = node.as_table();
    if (table == nullptr) return top.error("network", "must be a list of tables ([[network]])");
    MACAW_ASSIGN(auto network, read_network({*table, file, "network " + std::to_string(study.networks.size())}));
    study.networks.push_back(std::move(network));
  }
  for (const std::string_view key : {"axes", "limits"})
    if (parsed.contains(key) && !parsed[key].is_table()) return top.error(key, "must be a table");
  if (const auto* axes = parsed.get_as<toml::table>("axes")) {
    const TomlReader reader{*axes, file, "axes"};
    MACAW_CHECK(reader.only({"accelerators", "systems", "memory_modes", "params"}));
    MACAW_ASSIGN(static_cast<run::Axes&>(study), run::read_axes(reader));
  }
  if (const auto* limits = parsed.get_as<toml::table>("limits")) {
    MACAW_ASSIGN(study.limits, read_limits({*limits, file, "limits"}));
  }
  for (const auto& network : study.networks)
    if (!network.compile.empty() && study.accelerators.empty())
      return top.error("axes", "must name accelerators, since a graph is to be compiled");
  return study;
}

}  // namespace macaw::sweep
