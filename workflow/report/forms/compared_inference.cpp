#include "workflow/report/forms/compared_inference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include <nlohmann/json.hpp>

#include "workflow/report/forms/forms.hpp"
#include "workflow/report/inference.hpp"

namespace macaw::report {
namespace {

constexpr std::size_t kPartsCompared = 20;
constexpr double kSmallestMs = 0.0005;  ///< differences that three decimals do not show

/// A part of the inference in each run.
struct Part {
  std::string kind, name;
  std::vector<std::optional<double>> ms;

  /// The name of an operator of the CPU; other parts begin with their kind, "copy in, 3072 bytes of inputs".
  [[nodiscard]] std::string text() const {
    const auto words = inference_kind_text(kind);
    return kind == "cpu" || words == name ? name : fmt::format("{}, {}", words, name);
  }
  [[nodiscard]] double difference() const { return ms.back().value_or(0) - ms.front().value_or(0); }
};

bool have_predictions(const std::vector<LabelledRun>& runs) {
  return std::ranges::all_of(runs, [](const auto& labelled) { return labelled.run.inference.has_value(); });
}

/// In the order of the runs. The nth part of a name in one run is that of the same name in another.
std::vector<Part> parts_of(const std::vector<LabelledRun>& runs) {
  std::vector<Part> parts;
  for (std::size_t r = 0; r < runs.size(); ++r) {
    std::vector<bool> taken(parts.size());
    for (const auto& row : runs[r].run.inference->rows) {
      std::size_t i = 0;
      while (i < taken.size() && (taken[i] || parts[i].kind != row.kind || parts[i].name != row.name)) ++i;
      if (i == taken.size()) {
        parts.push_back({row.kind, row.name, std::vector<std::optional<double>>(runs.size())});
        taken.push_back(false);
      }
      taken[i] = true;
      parts[i].ms[r] = row.ms;
    }
  }
  return parts;
}

/// Those that the first run and the last show with different figures.
std::vector<Part> changed_parts(const std::vector<LabelledRun>& runs) {
  auto parts = parts_of(runs);
  std::erase_if(parts, [](const Part& part) { return std::abs(part.difference()) < kSmallestMs; });
  std::ranges::stable_sort(parts, std::greater{}, [](const Part& part) { return std::abs(part.difference()); });
  if (parts.size() > kPartsCompared) parts.resize(kPartsCompared);
  return parts;
}

std::string ms_text(const std::optional<double>& ms) { return ms ? fmt::format("{:.3f}", *ms) : "-"; }

std::string total_text(const npu::Inference& whole) {
  if (whole.lower_bound) return fmt::format("at least {:.3f} ms", whole.ms);
  return fmt::format("{:.3f} ms ({:.3f} to {:.3f})", whole.ms, whole.low_ms, whole.high_ms);
}

}  // namespace

std::string compared_inference_text(const std::vector<LabelledRun>& runs) {
  if (!have_predictions(runs)) return "";
  std::string text = "whole inference, predicted:";
  for (const auto& labelled : runs)
    text += fmt::format("{} {} {}", &labelled == runs.data() ? "" : ",", labelled.label,
                        total_text(*labelled.run.inference));
  text += "\n";
  const auto parts = changed_parts(runs);
  if (parts.empty()) return text;
  text += fmt::format("  {:<44}", "part, in ms");
  for (const auto& labelled : runs) text += fmt::format(" {:>14}", labelled.label);
  text += "  change\n";
  for (const auto& part : parts) {
    text += fmt::format("  {:<44}", part.text());
    for (const auto& ms : part.ms) text += fmt::format(" {:>14}", ms_text(ms));
    text += fmt::format("  {:+.3f}\n", part.difference());
  }
  return text;
}

std::string compared_inference_markdown(const std::vector<LabelledRun>& runs) {
  if (!have_predictions(runs)) return "";
  std::string text = "\n| whole inference, predicted, in ms |";
  for (const auto& labelled : runs) text += fmt::format(" {} |", escape_markdown(labelled.label));
  text += " change |\n|---|";
  for (std::size_t i = 0; i <= runs.size(); ++i) text += "--:|";
  text += "\n| total |";
  for (const auto& labelled : runs) text += fmt::format(" {} |", total_text(*labelled.run.inference));
  text += fmt::format(" {:+.3f} |\n", runs.back().run.inference->ms - runs.front().run.inference->ms);
  for (const auto& part : changed_parts(runs)) {
    text += fmt::format("| {} |", escape_markdown(part.text()));
    for (const auto& ms : part.ms) text += fmt::format(" {} |", ms_text(ms));
    text += fmt::format(" {:+.3f} |\n", part.difference());
  }
  return text;
}

nlohmann::json compared_inference_json(const std::vector<LabelledRun>& runs) {
  using Json = nlohmann::json;
  if (!have_predictions(runs)) return nullptr;
  Json json{{"totals", Json::array()}, {"parts", Json::array()}};
  for (const auto& labelled : runs) {
    const auto& whole = *labelled.run.inference;
    json["totals"].push_back(
        {{"ms", whole.ms}, {"low_ms", whole.low_ms}, {"high_ms", whole.high_ms}, {"lower_bound", whole.lower_bound}});
  }
  for (const auto& part : parts_of(runs)) {
    Json ms = Json::array();
    for (const auto& value : part.ms) ms.push_back(value ? Json(*value) : Json());
    json["parts"].push_back({{"kind", part.kind}, {"name", part.name}, {"ms", ms}});
  }
  return json;
}

}  // namespace macaw::report
