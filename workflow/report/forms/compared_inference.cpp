#include "workflow/report/forms/compared_inference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>

#include <nlohmann/json.hpp>

#include "workflow/report/forms/forms.hpp"
#include "workflow/report/inference.hpp"

namespace macaw::report {
namespace {

constexpr std::size_t kPartsCompared = 20;
constexpr double kSmallestMs = 0.0005;  ///< differences that three decimals do not show

/// The time of a part in a run.
struct PartTime {
  bool exists = false;       ///< the run has this part
  std::optional<double> ms;  ///< none: it has no known cost

  [[nodiscard]] bool is_unknown() const { return exists && !ms; }
};

/// A part of the inference in each run.
struct Part {
  std::string kind, name;
  std::vector<PartTime> times;

  /// The name of an operator of the CPU; other parts begin with their kind, "copy in, 3072 bytes of inputs".
  [[nodiscard]] std::string text() const {
    const auto words = inference_kind_text(kind);
    return kind == "cpu" || words == name ? name : fmt::format("{}, {}", words, name);
  }
  /// From the first run to the last, a part that a run does not have taking no time; none: not known.
  [[nodiscard]] std::optional<double> difference() const {
    if (times.front().is_unknown() || times.back().is_unknown()) return std::nullopt;
    return times.back().ms.value_or(0) - times.front().ms.value_or(0);
  }
  [[nodiscard]] bool is_equal() const {
    const auto change = difference();
    return change ? std::abs(*change) < kSmallestMs : times.front().is_unknown() && times.back().is_unknown();
  }
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
        parts.push_back({row.kind, row.name, std::vector<PartTime>(runs.size())});
        taken.push_back(false);
      }
      taken[i] = true;
      parts[i].times[r] = {true, row.ms};
    }
  }
  return parts;
}

/// Those that the first run and the last show with different figures: changes that are not known before the others,
/// which begin with the greatest.
std::vector<Part> changed_parts(const std::vector<LabelledRun>& runs) {
  auto parts = parts_of(runs);
  std::erase_if(parts, [](const Part& part) { return part.is_equal(); });
  std::ranges::stable_sort(parts, std::greater{}, [](const Part& part) {
    const auto change = part.difference();
    return change ? std::abs(*change) : std::numeric_limits<double>::infinity();
  });
  if (parts.size() > kPartsCompared) parts.resize(kPartsCompared);
  return parts;
}

std::string ms_text(const PartTime& time) {
  return time.ms ? fmt::format("{:.3f}", *time.ms) : time.exists ? "unknown" : "-";
}

std::string change_text(const std::optional<double>& change) {
  return change ? fmt::format("{:+.3f}", *change) : "unknown";
}

/// The change of the totals; none where one of them is a lower bound.
std::optional<double> total_difference(const std::vector<LabelledRun>& runs) {
  const auto &first = *runs.front().run.inference, &last = *runs.back().run.inference;
  if (first.lower_bound || last.lower_bound) return std::nullopt;
  return last.ms - first.ms;
}

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
    for (const auto& time : part.times) text += fmt::format(" {:>14}", ms_text(time));
    text += fmt::format("  {}\n", change_text(part.difference()));
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
  text += fmt::format(" {} |\n", change_text(total_difference(runs)));
  for (const auto& part : changed_parts(runs)) {
    text += fmt::format("| {} |", escape_markdown(part.text()));
    for (const auto& time : part.times) text += fmt::format(" {} |", ms_text(time));
    text += fmt::format(" {} |\n", change_text(part.difference()));
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
    Json ms = Json::array(), exists = Json::array();
    for (const auto& time : part.times) {
      ms.push_back(time.ms ? Json(*time.ms) : Json());
      exists.push_back(time.exists);
    }
    json["parts"].push_back({{"kind", part.kind}, {"name", part.name}, {"exists", exists}, {"ms", ms}});
  }
  return json;
}

}  // namespace macaw::report
