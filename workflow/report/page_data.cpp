#include "workflow/report/page_data.hpp"

#include <initializer_list>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "workflow/report/bottlenecks.hpp"
#include "workflow/report/compute.hpp"
#include "workflow/report/render.hpp"
#include "workflow/report/strip.hpp"
#include "workflow/run/record_json.hpp"

namespace macaw::report {
namespace {

using Json = nlohmann::json;
using npu::RunRecord;

/// Texts by number: most of them stand in many rows.
class Texts {
 public:
  std::size_t of(const std::string& name) {
    const auto [found, is_new] = places_.try_emplace(name, list_.size());
    if (is_new) list_.push_back(name);
    return found->second;
  }
  [[nodiscard]] const std::vector<std::string>& list() const { return list_; }

 private:
  std::map<std::string, std::size_t> places_;
  std::vector<std::string> list_;
};

std::uint64_t moved(const RunRecord& run, const npu::OperationTiming& o, int side) {
  std::uint64_t sum = 0;
  for (const auto& m : o.memory)
    if (run.region_side[static_cast<std::size_t>(m.region)] == side) sum += m.bytes;
  return sum;
}

/// Empty arrays of these names; null, which push_back() makes an array of, is left in pieces where memory runs out.
Json columns(std::initializer_list<const char*> names) {
  Json json = Json::object();
  for (const auto* const name : names) json[name] = Json::array();
  return json;
}

Json operations_json(const RunRecord& run, const Summary& summary, Texts& names) {
  Json json = columns({"start", "cycles", "exclusive", "macs", "command", "layer", "name", "bound"});
  json["bytes"] = {Json::array(), Json::array()};
  bool any_blocks = false;
  Json blocks = Json::array();
  for (std::size_t i = 0; i < run.operations.size(); ++i) {
    const auto& o = run.operations[i];
    json["start"].push_back(o.start);
    json["cycles"].push_back(o.cycles());
    json["exclusive"].push_back(o.exclusive.cycles());
    json["macs"].push_back(o.macs);
    json["command"].push_back(o.command);
    json["layer"].push_back(summary.layer_of[i]);
    json["name"].push_back(names.of(o.name));
    json["bound"].push_back(names.of(bound_of(o).to_string()));
    for (const int side : {0, 1}) json["bytes"][static_cast<std::size_t>(side)].push_back(moved(run, o, side));
    Json mine = Json::array();
    for (const auto& b : o.blocks) mine.push_back({b.start, b.end - b.start, names.of(b.bound)});
    any_blocks |= !o.blocks.empty();
    blocks.push_back(std::move(mine));
  }
  if (any_blocks) json["blocks"] = std::move(blocks);
  return json;
}

/// Register and weight figures of a layer's longest operation.
void add_compute(Json& json, const RunRecord& run, const Layer& layer) {
  const auto notes = compute_notes(run, layer);
  if (notes.lanes) json["lanes"] = *notes.lanes;
  json["why"] = notes.why;
  json["change"] = notes.change;
  if (!notes.output.empty()) json["output"] = notes.output;
  if (layer.weights) {
    json["weights"] = {layer.weights->encoded, layer.weights->count, layer.weights->zeros};
    json["weight_ratio"] = weight_ratio(*layer.weights);
    json["decoded_per_cycle"] = decode_rate(layer);
  }
  if (layer.operations.empty()) return;
  json["main"] = layer.main_operation;
  const auto& main = run.operations[layer.main_operation];
  json["label"] = operation_label(main);
  json["source"] = !main.source.empty();
  if (!main.details) return;
  json["block"] = main.details->block;
  json["ublock"] = main.details->ublock;
  json["output_cycles"] = main.details->output_cycles;
}

Json layer_row(const RunRecord& run, const Layer& layer) {
  std::array<std::uint64_t, 2> read{}, written{};
  for (const auto i : layer.operations)
    for (const auto& m : run.operations[i].memory)
      (m.write ? written : read)[static_cast<std::size_t>(run.region_side[static_cast<std::size_t>(m.region)])] +=
          m.bytes;
  Json json{{"name", layer.name},           {"kind", layer.kind}, {"exclusive", layer.exclusive},
            {"inclusive", layer.inclusive}, {"macs", layer.macs}, {"bound", layer.bound.to_string()},
            {"alive", layer.alive},         {"read", read},       {"written", written}};
  if (layer.shape) json["shape"] = *layer.shape;
  add_compute(json, run, layer);
  return json;
}

/// Spans in whole cycles: operation (-1: none), gap to the span before, length, cycles at work. Ends are rounded, so
/// that gaps and lengths add up to the end of the last span.
Json activity_json(const RunRecord& run) {
  constexpr std::uint64_t kCycle = 1000;
  const auto cycles = [](std::uint64_t ticks) { return (ticks + kCycle / 2) / kCycle; };
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::size_t> operations;
  for (std::size_t i = 0; i < run.operations.size(); ++i)
    operations[{run.operations[i].step, run.operations[i].command}] = i;
  Json json = Json::array();
  for (const auto& unit : run.activity) {
    Json data = Json::array();
    std::uint64_t at = 0;
    for (const auto& span : unit.spans) {
      const auto found = operations.find({unit.step, span.command});
      data.push_back(found == operations.end() ? -1 : static_cast<std::int64_t>(found->second));
      data.push_back(cycles(span.start) - at);
      data.push_back(cycles(span.end) - cycles(span.start));
      data.push_back(cycles(span.busy));
      at = cycles(span.end);
    }
    json.push_back({{"unit", unit.unit}, {"resolution", cycles(unit.resolution)}, {"data", std::move(data)}});
  }
  return json;
}

Json lifetimes_json(const Summary& summary) {
  Json json = columns({"region", "first", "last", "start", "end", "operation", "written"});
  for (const auto& life : summary.lifetimes) {
    json["region"].push_back(life.region);
    json["first"].push_back(life.first);
    json["last"].push_back(life.last);
    json["start"].push_back(life.start);
    json["end"].push_back(life.end);
    json["operation"].push_back(life.operation);
    json["written"].push_back(life.written ? 1 : 0);
  }
  return json;
}

Json advice_json(const RunRecord& run) {
  if (!run.advice) return {};
  Json json = Json::array();
  for (const auto& advice : run.advice.value_or(std::vector<npu::Advice>()))
    json.push_back(
        {{"kind", advice.kind.empty() ? "memory" : advice.kind},
         {"change", advice.change},
         {"gain", static_cast<std::int64_t>(run.cycles) - static_cast<std::int64_t>(advice.cycles)},
         {"share", run.cycles == 0 ? 0 : 1 - static_cast<double>(advice.cycles) / static_cast<double>(run.cycles)},
         {"command", advice.command}});
  return json;
}

}  // namespace

Json page_data(const RunRecord& run, const Summary& summary, std::optional<std::uint64_t> sram_size) {
  Texts names;
  Json json{{"network", run.network},
            {"accelerator", run.accelerator->name},
            {"system", run.system},
            {"memory_mode", run.memory_mode},
            {"clock_hz", run.clock_hz},
            {"macs_per_cycle", run.accelerator->macs},
            {"bytes_per_cycle", run.bytes_per_cycle},
            {"region_side", run.region_side},
            {"sides", {run.side_name(0), run.side_name(1)}},
            {"cycles", run.cycles},
            {"pmu", run.pmu.counts},
            {"host", Json::array()},
            {"operations", operations_json(run, summary, names)},
            {"activity", activity_json(run)},
            {"lifetimes", lifetimes_json(summary)},
            {"memory_text", memory_text(run, summary, sram_size)},
            {"advice", advice_json(run)},
            {"layers", Json::array()},
            {"edges", Json::array()},
            {"bounds", Json::array()},
            {"findings", bottlenecks(run, summary)}};
  for (const auto& host : run.host_operators) json["host"].push_back(host.name);
  json["sram_size"] = sram_size ? Json(*sram_size) : Json();
  for (const int side : {0, 1}) {
    const auto& use = summary.memory[static_cast<std::size_t>(side)];
    json["memory"].push_back(
        {{"peak", use.peak}, {"peak_cycle", use.peak_cycle}, {"reach", use.reach}, {"curve", use.curve}});
  }
  for (const auto& entry : strip(run, summary, sram_size))
    json["strip"].push_back({entry.value, entry.name, entry.title});
  json["memory_verdict"] = memory_verdict(run);
  json["compute"] = compute_sentences(run, summary);
  json["timing_adapter"] = run.timing_adapter;
  json["origin"] = run.origin ? run::json_of(*run.origin) : Json::object();
  json["unmodelled"] = run.pmu.unmodelled;
  json["error_bar"] = nullptr;
  if (run.error_bar) json["error_bar"] = {run.error_bar->mean, run.error_bar->worst, run.error_bar->networks};
  json["accuracy"] = run.accuracy();
  json["inference"] = run.inference ? run::json_of(*run.inference) : Json();
  json["sequence"] = run.sequence ? run::json_of(*run.sequence) : Json();
  for (const auto& text : padded_channels(run, summary)) json["findings"].push_back(text);
  if (summary.edges.cut_layers != 0)
    json["findings"].push_back(
        fmt::format("{} layers read from more layers than the graph shows", summary.edges.cut_layers));
  for (const auto& layer : summary.layers) json["layers"].push_back(layer_row(run, layer));
  for (const auto& edge : summary.edges.all) json["edges"].push_back({edge.from, edge.to});
  for (const auto& [bound, cycles] : summary.bounds) json["bounds"].push_back({bound.to_string(), cycles});
  json["names"] = names.list();
  return json;
}

std::string page_with(std::string_view page, const Json& json) {
  // A name in the data must not end the script element that holds it, nor open a comment in it.
  auto data = json.dump(-1, ' ', true, Json::error_handler_t::replace);
  for (std::size_t at = 0; (at = data.find('<', at)) != std::string::npos; at += 6) data.replace(at, 1, "\\u003c");
  constexpr std::string_view kMark = "@RUN@";
  const auto at = page.find(kMark);
  return std::string(page.substr(0, at)) + data + std::string(page.substr(at + kMark.size()));
}

}  // namespace macaw::report
