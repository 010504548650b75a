#include <map>
#include <unordered_map>

#include <nlohmann/json.hpp>

#include "base/json_text.hpp"
#include "workflow/report/embedded_html.hpp"
#include "workflow/report/page_data.hpp"
#include "workflow/sweep/show.hpp"

namespace macaw::sweep {
namespace {

using Json = nlohmann::json;

template <class T>
Json number(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

Json run_json(const Row& run) {
  auto params = Json::parse(run.params, nullptr, false);
  if (!params.is_object()) params = Json::object();
  return {{"network", run.network},
          {"accelerator", run.accelerator},
          {"system", run.system},
          {"memory_mode", run.memory_mode},
          {"params", std::move(params)},
          {"inputs", run.inputs},
          {"error", run.error},
          {"cycles", number(run.cycles)},
          {"ms", number(run.milliseconds)},
          {"macs", number(run.macs)},
          {"macs_per_cycle", number(run.macs_per_cycle)},
          {"reach", {number(run.memory0_reach), number(run.memory1_reach)}},
          {"bytes", {number(run.memory0_bytes), number(run.memory1_bytes)}},
          {"layers", Json::array()}};
}

/// Exclusive cycles of the layers of each run, in an order that all runs of a network share.
void add_layers(Json& json, const Database& database) {
  std::unordered_map<std::string, std::size_t> run_of;
  for (std::size_t i = 0; i < database.runs.size(); ++i) run_of.emplace(database.runs[i].id, i);
  std::map<std::string, std::unordered_map<std::string, std::size_t>> places;  // by network, by layer
  for (const auto& layer : database.layers) {
    const auto found = run_of.find(layer.run);
    if (found == run_of.end()) continue;
    const auto& network = database.runs[found->second].network;
    auto& known = places[network];
    const auto [place, is_new] = known.try_emplace(layer.name, known.size());
    if (is_new) json["layers"][network].push_back(layer.name);
    auto& mine = json["runs"][found->second]["layers"];
    while (mine.size() <= place->second) mine.push_back(nullptr);
    auto& cell = mine[place->second];
    cell = layer.exclusive + (cell.is_null() ? 0 : cell.get<std::int64_t>());
  }
}

}  // namespace

std::string show_html(const Database& database) {
  Json json{{"runs", Json::array()}, {"layers", Json::object()}};
  for (const auto& run : database.runs) json["runs"].push_back(run_json(run));
  add_layers(json, database);
  return report::page_with(report::kStudyPage, json);
}

}  // namespace macaw::sweep
