#include "workflow/report/forms/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include <nlohmann/json.hpp>

#include "workflow/report/embedded_html.hpp"
#include "workflow/report/forms/align.hpp"
#include "workflow/report/page_data.hpp"

namespace macaw::report {
namespace {

constexpr std::size_t kLayersCompared = 30;

/// The tensor in quotes, which compilers and graphs call alike; of a layer without one, its name without the number of
/// its command.
std::string stable_name(const std::string& name) {
  const auto open = name.find('\''), close = name.rfind('\'');
  if (open < close && close != name.npos && close > open + 1) return name.substr(open + 1, close - open - 1);
  const auto at = name.rfind(" (");
  return at == 0 || at == name.npos ? name : name.substr(0, at);
}

std::vector<std::string> names(const LabelledRun& run) {
  std::vector<std::string> all;
  for (const auto& layer : run.summary.layers) all.push_back(stable_name(layer.name));
  return all;
}

const Layer* layer_in(const std::vector<LabelledRun>& runs, const LayerRow& row, std::size_t run) {
  return row.places[run] ? &runs[run].summary.layers[*row.places[run]] : nullptr;
}

/// Cycles of the last run less those of the first.
std::int64_t difference(const std::vector<LabelledRun>& runs, const LayerRow& row) {
  const auto cycles = [&](std::size_t run) {
    const auto* layer = layer_in(runs, row, run);
    return layer == nullptr ? 0 : static_cast<std::int64_t>(layer->exclusive);
  };
  return cycles(runs.size() - 1) - cycles(0);
}

std::string change(std::uint64_t then, std::uint64_t now) {
  const auto difference = static_cast<std::int64_t>(now) - static_cast<std::int64_t>(then);
  if (then == 0) return fmt::format("{:+}", difference);
  return fmt::format("{:+} ({:+.1f} %)", difference, 100 * static_cast<double>(difference) / static_cast<double>(then));
}

std::uint64_t moved(const Summary& summary) {
  std::uint64_t sum = 0;
  for (const auto& layer : summary.layers) sum += layer.moved(0) + layer.moved(1);
  return sum;
}

nlohmann::json time_by_bound(const Summary& summary) {
  auto json = nlohmann::json::array();
  for (const auto& [bound, cycles] : summary.bounds) json.push_back({bound.to_string(), cycles});
  return json;
}

std::string layer_line(const std::vector<LabelledRun>& runs, const LayerRow& row) {
  std::string line = fmt::format("  {:<44}", row.name);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const auto* layer = layer_in(runs, row, i);
    line += layer == nullptr ? fmt::format(" {:>12}", "not there") : fmt::format(" {:>12}", layer->exclusive);
  }
  const auto *first = layer_in(runs, row, 0), *last = layer_in(runs, row, runs.size() - 1);
  line += fmt::format("  {:<22}", change(first ? first->exclusive : 0, last ? last->exclusive : 0));
  if (first && last) {
    line += first->bound.to_string();
    if (first->bound != last->bound) line += " -> " + last->bound.to_string();
  }
  return line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
}

}  // namespace

std::vector<LayerRow> align_layers(const std::vector<LabelledRun>& runs) {
  std::vector<LayerRow> rows;
  std::vector<std::string> known = names(runs.front());
  for (std::size_t i = 0; i < known.size(); ++i) {
    rows.push_back({runs.front().summary.layers[i].name, std::vector<std::optional<std::size_t>>(runs.size())});
    rows.back().places[0] = i;
  }
  for (std::size_t r = 1; r < runs.size(); ++r) {
    const auto here = names(runs[r]);
    std::vector<LayerRow> next;
    std::vector<std::string> next_known;
    for (const auto& [row, place] : align(known, here)) {
      if (row) next.push_back(std::move(rows[*row]));
      else next.push_back({runs[r].summary.layers[*place].name, std::vector<std::optional<std::size_t>>(runs.size())});
      next.back().places[r] = place;
      next_known.push_back(row ? known[*row] : here[*place]);
    }
    rows = std::move(next);
    known = std::move(next_known);
  }
  return rows;
}

std::string comparison_text(const std::vector<LabelledRun>& runs) {
  std::string text;
  const auto& base = runs.front().run;
  for (const auto& [label, run, summary] : runs) {
    text += fmt::format("{}: {} on {}, system {}, {}: cycles {}, {:.3f} ms", label, run.network, run.accelerator->name,
                        run.system, run.memory_mode, run.cycles, 1e3 * run.seconds());
    if (&run != &base) text += ", " + change(base.cycles, run.cycles);
    text += "\n";
  }
  auto rows = align_layers(runs);
  const auto all = rows.size();
  std::erase_if(rows, [&](const LayerRow& row) { return difference(runs, row) == 0; });
  std::ranges::stable_sort(rows, std::greater{}, [&](const LayerRow& row) { return std::abs(difference(runs, row)); });
  if (rows.empty()) return text + fmt::format("all {} layers take as many cycles\n", all);
  text += fmt::format("layers that moved: {} of {}\n  {:<44}", rows.size(), all, "layer");
  for (const auto& run : runs) text += fmt::format(" {:>12}", run.label);
  text += "  change                bound by\n";
  for (std::size_t i = 0; i < std::min(rows.size(), kLayersCompared); ++i) text += layer_line(runs, rows[i]);
  if (rows.size() > kLayersCompared) text += fmt::format("  ... and {} more\n", rows.size() - kLayersCompared);
  return text;
}

std::string comparison_html(const std::vector<LabelledRun>& runs) {
  using Json = nlohmann::json;
  Json json{{"runs", Json::array()}, {"layers", Json::array()}};
  for (const auto& [label, run, summary] : runs)
    json["runs"].push_back({{"index", json["runs"].size()},
                            {"label", label},
                            {"network", run.network},
                            {"accelerator", run.accelerator->name},
                            {"system", run.system},
                            {"memory_mode", run.memory_mode},
                            {"cycles", run.cycles},
                            {"milliseconds", 1e3 * run.seconds()},
                            {"macs", run.macs()},
                            {"bytes", moved(summary)},
                            {"time", time_by_bound(summary)}});
  for (const auto& row : align_layers(runs)) {
    Json cycles = Json::array(), bounds = Json::array();
    for (std::size_t i = 0; i < runs.size(); ++i) {
      const auto* layer = layer_in(runs, row, i);
      cycles.push_back(layer == nullptr ? Json() : Json(layer->exclusive));
      bounds.push_back(layer == nullptr ? std::string() : layer->bound.to_string());
    }
    json["layers"].push_back(
        {{"index", json["layers"].size()}, {"name", row.name}, {"cycles", cycles}, {"bounds", bounds}});
  }
  return page_with(kComparisonPage, json);
}

}  // namespace macaw::report
