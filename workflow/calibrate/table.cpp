#include "workflow/calibrate/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/config/params.hpp"

namespace macaw::calibrate {
namespace {

/// Outcomes that are summed up together.
struct Class {
  std::string family, group, set;
  std::vector<const Outcome*> outcomes;
};

std::vector<Class> classes(const std::vector<Outcome>& outcomes) {
  std::vector<Class> all;
  for (const auto& outcome : outcomes) {
    const Cell& cell = *outcome.cell;
    const std::string family(to_string(cell.accelerator->family)), set = cell.fitted ? "fit" : "unseen";
    auto found = std::ranges::find_if(
        all, [&](const Class& c) { return c.family == family && c.group == cell.group && c.set == set; });
    if (found == all.end()) found = all.insert(all.end(), {family, cell.group, set, {}});
    found->outcomes.push_back(&outcome);
  }
  return all;
}

std::string percent(double value) { return fmt::format("{:.1f} %", 100 * value); }
std::string signed_percent(double value) { return fmt::format("{:+.1f} %", 100 * value); }

std::string measured(const Cell& cell) {
  if (!cell.cycles) return "-";
  return fmt::format("{:.0f}{}", cell.cycles->value, cell.cycles->total ? " (TOTAL)" : "");
}

std::string counters(const Outcome& outcome) {
  if (outcome.cell->expected.empty()) return "";
  return outcome.wrong.empty() ? "exact" : fmt::format("{}", fmt::join(outcome.wrong, "; "));
}

/// The rows of one kind, and all their cells together.
std::string left_out_in_turn(const Fit& fit, std::string_view kind) {
  std::string rows;
  double cells = 0, sum = 0, worst = 0;
  for (const auto& row : fit.without) {
    if (row.kind != kind) continue;
    rows += fmt::format("    {:<20} {:>3} cells, mean {}, worst {}\n", row.group, row.cells, percent(row.mean),
                        percent(row.worst));
    cells += static_cast<double>(row.cells);
    sum += row.mean * static_cast<double>(row.cells);
    worst = std::max(worst, row.worst);
  }
  if (rows.empty()) return {};
  return fmt::format("  each {} left out, the factors above fitted again on the others: mean {}, worst {}\n{}", kind,
                     percent(sum / cells), percent(worst), rows);
}

}  // namespace

std::string to_markdown(const std::vector<Outcome>& outcomes, const std::vector<LeftOut>& left_out) {
  std::string text =
      "### Summary\n\n| NPU | class | set | cases | mean | worst | worst beyond the grid | counters |\n"
      "|---|---|---|---|---|---|---|---|\n";
  for (const auto& row : classes(outcomes)) {
    const auto cycles = summarise(row.outcomes), beyond = summarise(row.outcomes, &Outcome::error_beyond_resolution);
    std::size_t checked = 0, wrong = 0;
    for (const auto* outcome : row.outcomes) {
      checked += outcome->cell->expected.size();
      wrong += outcome->wrong.size();
    }
    text += fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} |\n", row.family, row.group, row.set,
                        row.outcomes.size(), cycles.cells ? percent(cycles.mean) : "-",
                        cycles.cells ? percent(cycles.worst) : "-", cycles.cells ? percent(beyond.worst) : "-",
                        checked ? fmt::format("{} of {}", checked - wrong, checked) : "");
  }
  // One table for each class, classes in the order in which they first occur.
  std::vector<std::pair<std::string, std::string>> tables;
  for (const auto& outcome : outcomes) {
    const Cell& cell = *outcome.cell;
    auto table = std::ranges::find(tables, cell.group, &std::pair<std::string, std::string>::first);
    if (table == tables.end()) table = tables.insert(tables.end(), {cell.group, {}});
    table->second +=
        fmt::format("| {} | {} | {} | {} | {} | {} |\n", cell.describe, cell.fitted ? "fit" : "unseen", measured(cell),
                    outcome.cycles, cell.cycles ? signed_percent(outcome.error) : "", counters(outcome));
  }
  for (const auto& [group, rows] : tables)
    text += fmt::format(
        "\n### {}\n\n| case | set | measured | simulated | error | counters |\n|---|---|---|---|---|---|\n{}", group,
        rows);
  text += "\n### Left out\n\n";
  std::vector<std::pair<std::string, std::vector<std::string>>> reasons;
  for (const auto& entry : left_out) {
    auto found = std::ranges::find(reasons, entry.reason, &std::pair<std::string, std::vector<std::string>>::first);
    if (found == reasons.end()) found = reasons.insert(reasons.end(), {entry.reason, {}});
    found->second.push_back(entry.id);
  }
  for (const auto& [reason, ids] : reasons) text += fmt::format("- {}: {}\n", reason, fmt::join(ids, ", "));
  return text;
}

std::string to_text(const std::vector<Outcome>& outcomes, const std::vector<LeftOut>& left_out) {
  std::string text = fmt::format("{:<5}{:<40}{:<8}{:>6}{:>9}{:>9}{:>9}  {}\n", "NPU", "class", "set", "cases", "mean",
                                 "worst", "beyond", "worst case");
  for (const auto& row : classes(outcomes)) {
    const auto cycles = summarise(row.outcomes), beyond = summarise(row.outcomes, &Outcome::error_beyond_resolution);
    if (cycles.cells == 0) continue;
    text +=
        fmt::format("{:<5}{:<40}{:<8}{:>6}{:>9}{:>9}{:>9}  {}\n", row.family, row.group, row.set, cycles.cells,
                    percent(cycles.mean), percent(cycles.worst), percent(beyond.worst), cycles.worst_cell->describe);
  }
  std::size_t checked = 0, wrong = 0;
  for (const auto& outcome : outcomes) {
    checked += outcome.cell->expected.size();
    wrong += outcome.wrong.size();
    for (const auto& counter : outcome.wrong) text += fmt::format("{}: {}\n", outcome.cell->id, counter);
  }
  text += fmt::format("counters: {} of {} as expected; {} measurements left out\n", checked - wrong, checked,
                      left_out.size());
  return text;
}

std::string to_text(const std::vector<Fit>& fits) {
  std::string text;
  for (const auto& fit : fits) {
    text += fmt::format("{}: error on the fit set {} before, {} after\n", fit.scope, percent(fit.before),
                        percent(fit.after));
    for (const auto& param : fit.params) {
      text += fmt::format("  {:<24} x {:.3f}:", param.name, param.factor);
      for (const auto& accelerator : npu::accelerators()) {
        if (npu::traits(accelerator.family).generation != fit.scope) continue;
        text += fmt::format(" {:g}", *npu::default_params(accelerator).get(param.name) * param.factor);
      }
      text += "\n";
    }
    for (const std::string_view kind : {"network", "configuration"}) text += left_out_in_turn(fit, kind);
  }
  return text;
}

std::string error_bar_rows(const std::vector<Outcome>& outcomes) {
  std::string text;
  for (const bool adapter : {true, false})
    for (const auto& accelerator : npu::accelerators()) {
      std::vector<const Outcome*> own;
      for (const auto& outcome : outcomes)
        if (outcome.cell->error_bar && outcome.cell->accelerator == &accelerator &&
            outcome.cell->options.timing_adapter == adapter)
          own.push_back(&outcome);
      const auto summary = summarise(own);
      // Rounded up to a tenth of a per cent.
      if (summary.cells)
        text += fmt::format("MACAW_ERROR_BAR(\"{}\", {}, {:.1f}, {:.1f}, {})\n", accelerator.name, adapter,
                            std::ceil(summary.mean * 1000) / 10, std::ceil(summary.worst * 1000) / 10, summary.cells);
    }
  return text;
}

}  // namespace macaw::calibrate
