#include <fmt/format.h>

#include <algorithm>
#include <set>

#include <nlohmann/json.hpp>

#include "base/json_text.hpp"
#include "workflow/report/forms/forms.hpp"

// Model Explorer's graphs and node data: google-ai-edge/model-explorer, graph_builder.py and node_data_builder.py of
// src/server/package/src/model_explorer.
namespace macaw::report {
namespace {

using Json = nlohmann::json;
using npu::RunRecord;

/// The tensor that an operator of the source is named by, "conv1" of "Conv2D 'conv1' (operator 3)"; empty: it has none.
std::string tensor_of(const std::string& name) {
  const auto first = name.find('\''), last = name.rfind('\'');
  return first == last ? std::string() : name.substr(first + 1, last - first - 1);
}

/// A key for each layer: its tensor, which a graph of the source network has too, or else its name.
std::vector<std::string> keys_of(const Summary& summary) {
  std::vector<std::string> keys;
  std::set<std::string> taken;
  for (const auto& layer : summary.layers) {
    auto key = tensor_of(layer.name);
    if (key.empty() || taken.contains(key)) key = layer.name;
    taken.insert(key);
    keys.push_back(std::move(key));
  }
  return keys;
}

Json attribute(std::string_view key, const std::string& value) { return {{"key", key}, {"value", value}}; }

Json attributes(const RunRecord& run, const Layer& layer) {
  const auto count = [](std::uint64_t value) { return fmt::format("{}", value); };
  Json list{attribute("layer", layer.name),
            attribute("cycles", count(layer.exclusive)),
            attribute("cycles in progress", count(layer.inclusive)),
            attribute("share", fmt::format("{:.1f} %", run.cycles == 0 ? 0.0
                                                                       : 100 * static_cast<double>(layer.exclusive) /
                                                                             static_cast<double>(run.cycles))),
            attribute("MACs", count(layer.macs)),
            attribute("bound by", layer.bound.to_string())};
  for (const int side : {0, 1})
    list.push_back(attribute(fmt::format("bytes on {}", run.side_name(side)), count(layer.moved(side))));
  if (layer.shape)
    list.push_back(
        attribute("result", fmt::format("{}x{}x{}", (*layer.shape)[0], (*layer.shape)[1], (*layer.shape)[2])));
  return list;
}

}  // namespace

std::string render_graph_json(const RunRecord& run, const Summary& summary) {
  const auto keys = keys_of(summary);
  Json nodes = Json::array();
  for (std::size_t i = 0; i < summary.layers.size(); ++i) {
    const auto& layer = summary.layers[i];
    const Json output{{"id", "0"}, {"attrs", Json::array({attribute("tensor_name", keys[i])})}};
    nodes.push_back({{"id", keys[i]},
                     {"label", layer.kind},
                     {"namespace", ""},
                     {"attrs", attributes(run, layer)},
                     {"incomingEdges", Json::array()},
                     {"outputsMetadata", Json::array({output})}});
  }
  for (const auto& edge : summary.edges.all) {
    auto& incoming = nodes[edge.to]["incomingEdges"];
    incoming.push_back({{"sourceNodeId", keys[edge.from]},
                        {"sourceNodeOutputId", "0"},
                        {"targetNodeInputId", fmt::format("{}", incoming.size())}});
  }
  const Json json{{"label", run.network},
                  {"graphs", Json::array({{{"id", run.network}, {"nodes", std::move(nodes)}}})}};
  return io::json_text(json, 1) + "\n";
}

std::string render_node_data(const Summary& summary) {
  const auto keys = keys_of(summary);
  Json results = Json::object();
  for (std::size_t i = 0; i < summary.layers.size(); ++i) results[keys[i]] = {{"value", summary.layers[i].exclusive}};
  const Json json{{"results", std::move(results)},
                  {"gradient", {{{"stop", 0}, {"bgColor", "#fdf4de"}}, {{"stop", 1}, {"bgColor", "#c03a1c"}}}}};
  return io::json_text(json, 1) + "\n";
}

}  // namespace macaw::report
