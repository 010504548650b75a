#include "workflow/calibrate/intervals.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace macaw::calibrate {
namespace {

constexpr double kCoverage = 0.9;
constexpr std::size_t kEnoughRuns = 10, kEnoughNetworks = 3;
constexpr double kTooFew = 1.25;     // on the largest error of runs that are too few for a quantile
constexpr double kUnmeasured = 1.5;  // on the widest interval of the family
constexpr double kNarrowest = 0.01;  // nothing promises less than this

using Runs = std::vector<const Outcome*>;

/// How far the measured cycles are from the simulated ones, relative to these.
double miss(const Outcome& outcome) { return std::abs(1 / (1 + outcome.error) - 1); }

/// Runs of one kind, with one entry of a kind set to "any" the more the coarser.
bool same(const npu::RunKind& row, const npu::RunKind& kind) {
  const auto fits = [](std::string_view a, std::string_view b) { return a == "any" || a == b; };
  return row.family == kind.family && fits(row.adapter, kind.adapter) && fits(row.memory, kind.memory) &&
         fits(row.bound, kind.bound) && fits(row.length, kind.length);
}

std::size_t networks_of(const Runs& runs) {
  std::set<std::string> names;
  for (const auto* run : runs) names.insert(run->cell->network);
  return names.size();
}

double half_width(const Runs& runs) {
  std::vector<double> misses;
  for (const auto* run : runs) misses.push_back(miss(*run));
  std::ranges::sort(misses);
  const auto rank = static_cast<std::size_t>(std::ceil(kCoverage * static_cast<double>(misses.size() + 1)));
  const double width = rank <= misses.size() ? misses[rank - 1] : misses.back() * kTooFew;
  return std::ceil(std::max(width, kNarrowest) * 1000) / 1000;
}

/// The same kind without its last `levels` entries: length, bound, memory.
npu::RunKind coarser(npu::RunKind kind, int levels) {
  if (levels > 0) kind.length = "any";
  if (levels > 1) kind.bound = "any";
  return kind;
}

void add_level(std::vector<npu::KindInterval>& rows, const Runs& outcomes, int levels, bool few) {
  for (const auto* outcome : outcomes) {
    const npu::RunKind kind = coarser(*outcome->kind, levels);
    if (std::ranges::any_of(rows, [&](const auto& row) { return same(row.kind, kind) && same(kind, row.kind); }))
      continue;
    Runs runs;
    std::ranges::copy_if(outcomes, std::back_inserter(runs), [&](const auto* o) { return same(kind, *o->kind); });
    const std::size_t networks = networks_of(runs);
    if (!few && (runs.size() < kEnoughRuns || networks < kEnoughNetworks)) continue;
    rows.push_back({kind, half_width(runs), kCoverage, static_cast<int>(runs.size()), static_cast<int>(networks)});
  }
}

}  // namespace

std::vector<npu::KindInterval> intervals_of(const Runs& outcomes) {
  std::vector<npu::KindInterval> rows;
  for (int levels = 0; levels < 3; ++levels) add_level(rows, outcomes, levels, levels == 2);
  // What was never measured of a family: another memory mode, registers, no timing adapter.
  std::vector<npu::KindInterval> widened;
  for (const auto& row : rows) {
    if (row.kind.bound != "any" || row.kind.length != "any" || row.kind.memory == "registers") continue;
    npu::RunKind kind = row.kind;
    kind.adapter = kind.memory = "any";
    auto found = std::ranges::find_if(widened, [&](const auto& w) { return same(w.kind, kind); });
    if (found == widened.end()) found = widened.insert(widened.end(), {kind, 0, kCoverage, 0, 0});
    found->half_width = std::max(found->half_width, kUnmeasured * row.half_width);
  }
  rows.insert(rows.end(), widened.begin(), widened.end());
  return rows;
}

std::vector<Coverage> leave_one_network_out(const std::vector<Outcome>& outcomes) {
  std::set<std::string> networks;
  for (const auto& outcome : outcomes)
    if (outcome.kind && outcome.cell->cycles) networks.insert(outcome.cell->network);
  std::vector<Coverage> table;
  for (const auto& outcome : outcomes) {
    if (!outcome.kind || !outcome.cell->cycles) continue;
    const std::string family(to_string(outcome.cell->accelerator->family));
    if (std::ranges::none_of(table,
                             [&](const auto& c) { return c.family == family && c.group == outcome.cell->group; }))
      table.push_back({family, outcome.cell->group});
  }
  for (const auto& network : networks) {
    Runs others;
    for (const auto& outcome : outcomes)
      if (outcome.kind && outcome.cell->cycles && outcome.cell->network != network) others.push_back(&outcome);
    const auto rows = intervals_of(others);
    for (const auto& outcome : outcomes) {
      if (!outcome.kind || !outcome.cell->cycles || outcome.cell->network != network) continue;
      const std::string family(to_string(outcome.cell->accelerator->family));
      auto& row = *std::ranges::find_if(
          table, [&](const auto& c) { return c.family == family && c.group == outcome.cell->group; });
      ++row.runs;
      const auto* found = npu::find_interval(*outcome.kind, rows);
      if (!found || found->half_width > npu::kWidestInterval) continue;
      ++row.with_interval;
      row.inside += miss(outcome) <= found->half_width;
      row.mean_half_width += found->half_width;
    }
  }
  for (auto& row : table)
    if (row.with_interval) row.mean_half_width /= row.with_interval;
  return table;
}

std::string interval_rows(const std::vector<Outcome>& outcomes) {
  Runs runs;
  for (const auto& outcome : outcomes)
    if (outcome.kind && outcome.cell->cycles) runs.push_back(&outcome);
  std::string text;
  for (const auto& row : intervals_of(runs))
    text += fmt::format("MACAW_INTERVAL(\"{}\", \"{}\", \"{}\", \"{}\", \"{}\", {:.1f}, {:.0f}, {}, {})\n",
                        row.kind.family, row.kind.adapter, row.kind.memory, row.kind.bound, row.kind.length,
                        100 * row.half_width, 100 * row.coverage, row.runs, row.networks);
  return text;
}

std::string coverage_table(const std::vector<Outcome>& outcomes) {
  std::string text =
      "### Intervals, each network left out in turn\n\n| NPU | class | runs | with an interval | inside | mean half "
      "width |\n"
      "|---|---|---|---|---|---|\n";
  int with = 0, inside = 0;
  for (const auto& row : leave_one_network_out(outcomes)) {
    text += fmt::format("| {} | {} | {} | {} | {} | {:.1f} % |\n", row.family, row.group, row.runs, row.with_interval,
                        row.inside, 100 * row.mean_half_width);
    with += row.with_interval;
    inside += row.inside;
  }
  return text + fmt::format("\n{} of {} measured runs that get an interval are inside: {:.0f} %.\n", inside, with,
                            100.0 * inside / std::max(with, 1));
}

}  // namespace macaw::calibrate
