#include "workflow/energy/accelergy.hpp"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <cmath>

namespace macaw::energy {
namespace {

/// A list of "name" and what it holds, or a map from names.
template <class Visit>
void each(const YAML::Node& node, const Visit& visit) {
  if (node.IsMap())
    for (const auto& entry : node) visit(entry.first.as<std::string>(), entry.second);
  else
    for (const auto& entry : node) visit(entry["name"].as<std::string>(), entry);
}

}  // namespace

// yaml-cpp throws for what is no YAML and for a node that is not what it is taken for.
Result<std::map<std::string, double>> parse_accelergy(const std::string& yaml, const std::string& file) try {
  std::map<std::string, double> energies;
  const YAML::Node table = YAML::Load(yaml)["ERT"]["tables"];
  if (!table) return fail(ErrorCode::kInvalidFile, "no ERT with tables", {.file = file});
  each(table, [&](const std::string& component, const YAML::Node& entry) {
    each(entry["actions"] ? entry["actions"] : entry, [&](const std::string& action, const YAML::Node& one) {
      if (one.IsMap() && one["energy"]) energies[component + "." + action] = one["energy"].as<double>();
    });
  });
  for (const auto& [name, energy] : energies)
    if (!std::isfinite(energy) || energy < 0)
      return fail(ErrorCode::kInvalidFile, fmt::format("{}: the energy {} is not a number from 0 on", name, energy),
                  {.file = file});
  return energies;
} catch (const YAML::Exception& error) {
  return fail(ErrorCode::kInvalidFile, fmt::format("no energy reference table: {}", error.what()), {.file = file});
}

}  // namespace macaw::energy
