#include "workflow/report/forms/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <limits>

#include <nlohmann/json.hpp>

#include "workflow/report/embedded_html.hpp"
#include "workflow/report/forms/compared_inference.hpp"
#include "workflow/report/forms/forms.hpp"
#include "workflow/report/forms/paired_layers.hpp"
#include "workflow/report/page_data.hpp"

namespace macaw::report {
namespace {

constexpr std::size_t kLayersCompared = 30;
constexpr std::string_view kAbsent = "no counterpart";

std::string signed_share(std::uint64_t then, std::uint64_t now) {
  const auto difference = static_cast<std::int64_t>(now) - static_cast<std::int64_t>(then);
  if (then == 0) return fmt::format("{:+}", difference);
  return fmt::format("{:+} ({:+.1f} %)", difference, 100 * static_cast<double>(difference) / static_cast<double>(then));
}

/// "2.45x faster (-59.2 % time)"; empty where that is not known.
std::string speed_text(double then, double now) {
  if (then <= 0 || now <= 0) return "";
  if (then == now) return "as fast";
  const bool faster = now < then;
  return fmt::format("{:.2f}x {} ({:+.1f} % time)", faster ? then / now : now / then, faster ? "faster" : "slower",
                     100 * (now / then - 1));
}

std::uint64_t bytes_moved(const Summary& summary) {
  std::uint64_t sum = 0;
  for (const auto& layer : summary.layers) sum += layer.moved(0) + layer.moved(1);
  return sum;
}

nlohmann::json time_by_bound(const Summary& summary) {
  auto json = nlohmann::json::array();
  for (const auto& [bound, cycles] : summary.bounds) json.push_back({bound.to_string(), cycles});
  return json;
}

/// Its first layer's name, and how many more there are.
std::string name_of_joined(const JoinedLayer& layer) {
  return layer.layers.size() < 2 ? layer.name : fmt::format("{} and {} more", layer.name, layer.layers.size() - 1);
}

/// A row's layer in the first run that has it.
const JoinedLayer& first_of(const LayerRow& row) {
  return **std::ranges::find_if(row.runs, [](const auto& run) { return run.has_value(); });
}

std::string cycles_text(const std::optional<JoinedLayer>& layer) {
  return layer ? fmt::format("{}", layer->exclusive) : std::string(kAbsent);
}

std::string change_text(const LayerRow& row) {
  if (!row.is_paired()) return "";
  return signed_share(row.runs.front()->exclusive, row.runs.back()->exclusive);
}

std::string bounds_text(const LayerRow& row) {
  std::string text;
  for (const auto* run : {&row.runs.front(), &row.runs.back()})
    if (*run)
      if (const auto bound = (*run)->bound.to_string(); text != bound) text += (text.empty() ? "" : " -> ") + bound;
  return text;
}

/// Rows of pairs that changed and of layers without a counterpart, those first that matter most.
struct Changes {
  std::vector<LayerRow> pairs, alone;
  std::size_t all_pairs = 0;
};

Changes changes_of(const std::vector<LabelledRun>& runs) {
  Changes changes;
  for (auto& row : align_layers(runs)) {
    changes.all_pairs += row.is_paired();
    if (!row.is_paired()) changes.alone.push_back(std::move(row));
    else if (row.difference() != 0) changes.pairs.push_back(std::move(row));
  }
  for (auto* rows : {&changes.pairs, &changes.alone})
    std::ranges::stable_sort(*rows, std::greater{}, [](const LayerRow& row) { return std::abs(row.difference()); });
  return changes;
}

std::string layer_line(const LayerRow& row) {
  std::string line = fmt::format("  {:<44}", row.name);
  for (const auto& run : row.runs) line += fmt::format(" {:>14}", cycles_text(run));
  line += fmt::format("  {:<22}{}", change_text(row), bounds_text(row));
  return line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
}

std::string layer_table(const std::string& title, const std::vector<LabelledRun>& runs,
                        const std::vector<LayerRow>& rows) {
  if (rows.empty()) return "";
  auto text = fmt::format("{}\n  {:<44}", title, "layer");
  for (const auto& run : runs) text += fmt::format(" {:>14}", run.label);
  text += "  change                bound by\n";
  for (std::size_t i = 0; i < std::min(rows.size(), kLayersCompared); ++i) text += layer_line(rows[i]);
  if (rows.size() > kLayersCompared)
    text += fmt::format("  ... and {} more rows (--json and --html have all)\n", rows.size() - kLayersCompared);
  return text;
}

std::string markdown_table(const std::string& title, const std::vector<LabelledRun>& runs,
                           const std::vector<LayerRow>& rows) {
  if (rows.empty()) return "";
  auto text = fmt::format("\n{}\n\n| layer |", title);
  for (const auto& run : runs) text += fmt::format(" {} |", escape_markdown(run.label));
  text += " change | bound by |\n|---|";
  for (std::size_t i = 0; i < runs.size(); ++i) text += "--:|";
  text += "--:|---|\n";
  for (std::size_t i = 0; i < std::min(rows.size(), kLayersCompared); ++i) {
    text += fmt::format("| {} |", escape_markdown(rows[i].name));
    for (const auto& run : rows[i].runs) text += fmt::format(" {} |", cycles_text(run));
    text += fmt::format(" {} | {} |\n", change_text(rows[i]), bounds_text(rows[i]));
  }
  if (rows.size() > kLayersCompared) text += fmt::format("\n... and {} more rows\n", rows.size() - kLayersCompared);
  return text;
}

std::string pairs_title(const Changes& changes) {
  if (changes.pairs.empty())
    return changes.all_pairs == 0 ? "no layer has a counterpart" : "no layer that has a counterpart changed";
  return fmt::format("{} of {} layers that have a counterpart changed", changes.pairs.size(), changes.all_pairs);
}

std::string alone_title(const Changes& changes) {
  return fmt::format("{} layers have no counterpart", changes.alone.size());
}

}  // namespace

std::int64_t LayerRow::difference() const {
  const auto cycles = [](const std::optional<JoinedLayer>& run) {
    return run ? static_cast<std::int64_t>(run->exclusive) : 0;
  };
  return cycles(runs.back()) - cycles(runs.front());
}

std::vector<LayerRow> align_layers(const std::vector<LabelledRun>& runs) {
  std::vector<LayerRow> rows;
  const auto add = [](std::optional<JoinedLayer>& layer, const JoinedLayer& more) {
    if (layer) join(*layer, more);
    else layer = more;
  };
  for (std::size_t r = 0; r < runs.size(); ++r) {
    std::vector<JoinedLayer> known;
    for (const auto& row : rows) known.push_back(first_of(row));
    const auto here = join_layers(runs[r].run, runs[r].summary);
    std::vector<LayerRow> next;
    for (const auto& [then, now] : pair_layers(known, here)) {
      auto& row = next.emplace_back(LayerRow{{}, std::vector<std::optional<JoinedLayer>>(runs.size())});
      for (const auto number : then)
        for (std::size_t before = 0; before < r; ++before)
          if (const auto& layer = rows[number].runs[before]) add(row.runs[before], *layer);
      for (const auto number : now) add(row.runs[r], here[number]);
    }
    rows = std::move(next);
  }
  for (auto& row : rows) row.name = name_of_joined(first_of(row));
  return rows;
}

double speed_up(const std::vector<LabelledRun>& runs) {
  const auto then = runs.front().run.seconds(), now = runs.back().run.seconds();
  return now > 0 ? then / now : 0;
}

double percent_slower(const std::vector<LabelledRun>& runs) {
  const auto then = runs.front().run.seconds(), now = runs.back().run.seconds();
  if (then > 0) return 100 * (now / then - 1);
  return now > 0 ? std::numeric_limits<double>::infinity() : 0;
}

std::string comparison_text(const std::vector<LabelledRun>& runs) {
  std::string text;
  const auto& base = runs.front().run;
  for (const auto& [label, run, summary] : runs) {
    text += fmt::format("{}: {} on {}, system {}, {}: cycles {}, {:.3f} ms", label, run.network, run.accelerator->name,
                        run.system, run.memory_mode, run.cycles, 1e3 * run.seconds());
    if (&run != &base) {
      text += ", " + signed_share(base.cycles, run.cycles);
      if (const auto speed = speed_text(base.seconds(), run.seconds()); !speed.empty()) text += ", " + speed;
    }
    text += "\n";
  }
  text += compared_inference_text(runs);
  const auto changes = changes_of(runs);
  if (changes.pairs.empty()) text += pairs_title(changes) + "\n";
  return text + layer_table(pairs_title(changes), runs, changes.pairs) +
         layer_table(alone_title(changes), runs, changes.alone);
}

std::string comparison_markdown(const std::vector<LabelledRun>& runs) {
  const auto& base = runs.front().run;
  const auto speed = speed_text(base.seconds(), runs.back().run.seconds());
  auto text = fmt::format(
      "### {}{}\n\n| run | network | accelerator | system | cycles | ms | change |\n"
      "|---|---|---|---|--:|--:|--:|\n",
      escape_markdown(runs.back().label), speed.empty() ? "" : ": " + escape_markdown(speed));
  for (const auto& [label, run, summary] : runs)
    text += fmt::format("| {} | {} | {} | {}, {} | {} | {:.3f} | {} |\n", escape_markdown(label),
                        escape_markdown(run.network), run.accelerator->name, escape_markdown(run.system),
                        escape_markdown(run.memory_mode), run.cycles, 1e3 * run.seconds(),
                        &run == &base ? "" : signed_share(base.cycles, run.cycles));
  text += compared_inference_markdown(runs);
  const auto changes = changes_of(runs);
  if (changes.pairs.empty()) text += fmt::format("\n{}\n", pairs_title(changes));
  return text + markdown_table(pairs_title(changes), runs, changes.pairs) +
         markdown_table(alone_title(changes), runs, changes.alone);
}

nlohmann::json comparison_json(const std::vector<LabelledRun>& runs) {
  using Json = nlohmann::json;
  Json json{{"schema_version", 1},
            {"runs", Json::array()},
            {"inference", compared_inference_json(runs)},
            {"layers", Json::array()}};
  const auto& base = runs.front().run;
  for (const auto& [label, run, summary] : runs)
    json["runs"].push_back({{"index", json["runs"].size()},
                            {"label", label},
                            {"network", run.network},
                            {"accelerator", run.accelerator->name},
                            {"system", run.system},
                            {"memory_mode", run.memory_mode},
                            {"cycles", run.cycles},
                            {"milliseconds", 1e3 * run.seconds()},
                            {"speed_up", run.seconds() > 0 ? Json(base.seconds() / run.seconds()) : Json()},
                            {"macs", run.macs()},
                            {"bytes", bytes_moved(summary)},
                            {"time", time_by_bound(summary)}});
  for (const auto& row : align_layers(runs)) {
    Json cycles = Json::array(), bounds = Json::array(), macs = Json::array(), operations = Json::array();
    for (std::size_t i = 0; i < runs.size(); ++i) {
      const auto& layer = row.runs[i];
      cycles.push_back(layer ? Json(layer->exclusive) : Json());
      macs.push_back(layer ? Json(layer->macs) : Json());
      bounds.push_back(layer ? layer->bound.to_string() : std::string());
      std::size_t count = 0;
      if (layer)
        for (const auto number : layer->layers) count += runs[i].summary.layers[number].operations.size();
      operations.push_back(layer ? Json(count) : Json());
    }
    json["layers"].push_back({{"index", json["layers"].size()},
                              {"name", row.name},
                              {"cycles", cycles},
                              {"macs", macs},
                              {"operations", operations},
                              {"bounds", bounds},
                              {"paired", row.is_paired()}});
  }
  return json;
}

std::string comparison_html(const std::vector<LabelledRun>& runs) {
  return page_with(kComparisonPage, comparison_json(runs));
}

}  // namespace macaw::report
