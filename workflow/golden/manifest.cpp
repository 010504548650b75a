#include "workflow/golden/manifest.hpp"

#include <fmt/format.h>

#include <limits>

#include "workflow/run/toml_reader.hpp"

namespace macaw::golden {
namespace {

using run::TomlReader;

/// The keys of a sequence, which are the options of `macaw sim --sequence`.
Result<void> read_sequence(const TomlReader& reader, Network& network) {
  MACAW_ASSIGN(network.joining.feedback, reader.texts<std::string>("feedback"));
  MACAW_ASSIGN(network.joining.initial, reader.texts<std::string>("initial"));
  MACAW_ASSIGN(network.joining.counts, reader.texts<std::string>("count"));
  MACAW_ASSIGN(network.joining.scales, reader.texts<std::string>("scale"));
  if (reader.table.contains("requantize")) {
    const auto requantize = reader.table["requantize"].value_exact<bool>();
    if (!requantize) return reader.error("requantize", "must be true or false");
    network.joining.requantize = *requantize;
  }
  if (!reader.table.contains("steps")) {
    if (network.joining.any()) return reader.error("steps", "is missing: feedback and count join steps");
    return {};
  }
  constexpr std::int64_t kMostSteps = 10'000;  // each is recorded
  const auto steps = reader.table["steps"].value_exact<std::int64_t>();
  if (!steps || *steps < 1 || *steps > kMostSteps)
    return reader.error("steps", fmt::format("must be an integer from 1 to {}", kMostSteps));
  network.steps = static_cast<std::size_t>(*steps);
  return {};
}

Result<Network> read_network(const TomlReader& reader) {
  MACAW_CHECK(reader.only({"name", "artifact", "inputs", "seed", "accelerators", "systems", "memory_modes", "steps", "feedback",
                           "initial", "count", "scale", "requantize"}));
  Network network;
  MACAW_ASSIGN(network.name, reader.text("name"));
  MACAW_ASSIGN(network.artifact, reader.text("artifact"));
  MACAW_ASSIGN(network.inputs, reader.texts<std::filesystem::path>("inputs"));
  MACAW_ASSIGN(static_cast<run::Axes&>(network), run::read_axes(reader));
  if (reader.table.contains("seed")) {
    const auto seed = reader.table["seed"].value_exact<std::int64_t>();
    if (!seed || *seed < 0 || *seed > std::numeric_limits<std::uint32_t>::max())
      return reader.error("seed", "must be an integer from 0 to 4294967295");
    network.seed = static_cast<std::uint32_t>(*seed);
  }
  MACAW_CHECK(read_sequence(reader, network));
  return network;
}

}  // namespace

Result<Manifest> parse_manifest(std::string_view toml, const std::string& file) {
  MACAW_ASSIGN(const auto parsed, npu::parse_toml(toml, file));
  const TomlReader top{parsed, file, "top level"};
  MACAW_CHECK(top.only({"network", "tolerance"}));

  Manifest manifest;
  const auto* networks = parsed.get_as<toml::array>("network");
  if (networks == nullptr || networks->empty()) return top.error("network", "must be a list of tables ([[network]])");
  for (const auto& node : *networks) {
    const auto* table = node.as_table();
    if (table == nullptr) return top.error("network", "must be a list of tables ([[network]])");
    MACAW_ASSIGN(auto network, read_network({*table, file, fmt::format("network {}", manifest.networks.size())}));
    for (const auto& other : manifest.networks)
      if (other.name == network.name)
        return run::invalid_toml(file, fmt::format("two networks have the name '{}'", other.name));
    manifest.networks.push_back(std::move(network));
  }
  if (!parsed.contains("tolerance")) return manifest;

  const auto* tolerances = parsed.get_as<toml::table>("tolerance");
  if (tolerances == nullptr) return top.error("tolerance", "must be a table");
  const TomlReader reader{*tolerances, file, "tolerance"};
  for (const auto& [key, node] : *tolerances) {
    const auto field = key.str();
    if (field != "cycles" && field != "operation_cycles" && field != "pmu" && !field.starts_with("ETHOSU_PMU_"))
      return reader.error(field, "is not known; expected cycles, operation_cycles, pmu or an ETHOSU_PMU_ event");
    const auto value = node.value<double>();
    if (!value || !(*value >= 0) || *value > 1) return reader.error(field, "must be a number from 0 to 1");
    manifest.tolerances[std::string(field)] = *value;
  }
  return manifest;
}

}  // namespace macaw::golden
