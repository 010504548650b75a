#include "workflow/report/summary_json.hpp"

#include <nlohmann/json.hpp>

#include "workflow/report/bottlenecks.hpp"
#include "workflow/report/compute.hpp"

namespace macaw::report {
namespace {

using Json = nlohmann::json;
using npu::RunRecord;

constexpr std::size_t kTensorsAtPeak = 20;

double share(std::uint64_t part, double whole) { return whole == 0 ? 0 : static_cast<double>(part) / whole; }

std::string side_key(const RunRecord& run, int side) { return std::string(run.side_name(side)); }

Json weights_json(const Layer& layer) {
  if (!layer.weights) return {};
  return {{"encoded", layer.weights->encoded},
          {"count", layer.weights->count},
          {"zeros", layer.weights->zeros},
          {"decoded_per_cycle", decode_rate(layer)}};
}

Json layer_json(const RunRecord& run, const Layer& layer) {
  Json json{{"name", layer.name},
            {"kind", layer.kind},
            {"exclusive", layer.exclusive},
            {"inclusive", layer.inclusive},
            {"share", share(layer.exclusive, static_cast<double>(run.cycles))},
            {"milliseconds", 1e3 * static_cast<double>(layer.exclusive) / run.clock_hz},
            {"macs", layer.macs},
            {"utilisation", share(layer.macs, static_cast<double>(layer.inclusive) * run.accelerator->macs)},
            {"bound", layer.bound.to_string()},
            {"bytes", Json::object()},
            {"alive", Json::object()},
            {"operations", layer.operations}};
  json["shape"] = layer.shape ? Json(*layer.shape) : Json();
  const auto notes = compute_notes(run, layer);
  json["lanes"] = notes.lanes ? Json(*notes.lanes) : Json();
  json["why"] = notes.why;
  json["output"] = notes.output;
  json["change"] = notes.change;
  json["weights"] = weights_json(layer);
  for (const int side : {0, 1}) {
    json["bytes"][side_key(run, side)] = layer.bytes[static_cast<std::size_t>(side)];
    json["alive"][side_key(run, side)] = layer.alive[static_cast<std::size_t>(side)];
  }
  return json;
}

Json memory_json(const Summary& summary, int side) {
  const auto& use = summary.memory[static_cast<std::size_t>(side)];
  Json json{{"reach", use.reach},
            {"peak", use.peak},
            {"peak_cycle", use.peak_cycle},
            {"regions", Json::object()},
            {"at_peak", Json::array()}};
  for (std::size_t region = 0; region < use.extent.size(); ++region)
    if (use.extent[region] != 0) json["regions"][std::to_string(region)] = use.extent[region];
  for (const auto& life : use.at_peak) {
    if (json["at_peak"].size() == kTensorsAtPeak) break;
    json["at_peak"].push_back({{"layer", summary.layers[summary.layer_of[life.operation]].name},
                               {"region", life.region},
                               {"first", life.first},
                               {"last", life.last},
                               {"start", life.start},
                               {"end", life.end},
                               {"written", life.written}});
  }
  return json;
}

}  // namespace

Json summary_json(const RunRecord& run, const Summary& summary) {
  Json json{{"milliseconds", 1e3 * run.seconds()},
            {"layers", Json::array()},
            {"edges", Json::array()},
            {"bounds", Json::array()},
            {"bottlenecks", bottlenecks(run, summary)},
            {"padded_channels", padded_channels(run, summary)},
            {"compute", compute_sentences(run, summary)},
            {"memory", Json::object()}};
  for (const auto& layer : summary.layers) json["layers"].push_back(layer_json(run, layer));
  for (const auto& edge : summary.edges.all)
    json["edges"].push_back({{"from", edge.from}, {"to", edge.to}, {"bytes", edge.bytes}});
  if (summary.edges.cut_layers != 0) json["edges_cut"] = summary.edges.cut_layers;
  for (const auto& [bound, cycles] : summary.bounds)
    json["bounds"].push_back(
        {{"bound", bound.to_string()}, {"cycles", cycles}, {"share", share(cycles, static_cast<double>(run.cycles))}});
  for (const int side : {0, 1}) json["memory"][side_key(run, side)] = memory_json(summary, side);
  return json;
}

}  // namespace macaw::report
