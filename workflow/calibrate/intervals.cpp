#include "workflow/calibrate/intervals.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace macaw::calibrate {
namespace {

constexpr double kCoverage = 0.9;
constexpr std::size_t kEnoughRuns = 10;
constexpr double kTooFew = 1.25;     // on the largest error of runs that are too few for a quantile
constexpr double kUnmeasured = 1.5;  // on the widest interval of the family
constexpr double kNarrowest = 0.01;  // nothing promises less than this
// Factors on the width from runs of one network, of two: how another one is off is less known.
constexpr double kOneNetwork = 2, kTwoNetworks = 1.5;

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
  const std::size_t networks = networks_of(runs);
  const double factor = networks == 1 ? kOneNetwork : networks == 2 ? kTwoNetworks : 1;
  return std::ceil(std::max(width * factor, kNarrowest) * 1000) / 1000;
}

/// The same kind without its last `levels` entries: length, bound, memory.
npu::RunKind coarser(npu::RunKind kind, int levels) {
  if (levels > 0) kind.length = "any";
  if (levels > 1) kind.bound = "any";
  return kind;
}

void add_level(std::vector<npu::KindInterval>& rows, const Runs& outcomes, int levels, bool few) {
  for (const auto* outcome : outcomes) {
    const npu::RunKind kind = coarser(outcome->profile->kind, levels);
    if (std::ranges::any_of(rows, [&](const auto& row) { return same(row.kind, kind) && same(kind, row.kind); }))
      continue;
    Runs runs;
    std::ranges::copy_if(outcomes, std::back_inserter(runs), [&](const auto* o) { return same(kind, o->profile->kind); });
    const std::size_t networks = networks_of(runs);
    if (!few && runs.size() < kEnoughRuns) continue;
    rows.push_back({kind, half_width(runs), kCoverage, static_cast<int>(runs.size()), static_cast<int>(networks)});
  }
}

/// Kinds of work and values of registers that the runs had.
void add_measured(npu::IntervalTable& table, const Runs& outcomes) {
  std::set<std::pair<std::string, std::string>> work;
  std::map<std::pair<std::string, std::string>, std::pair<double, double>> registers;
  for (const auto* outcome : outcomes) {
    const npu::RunProfile& run = *outcome->profile;
    const std::string family(run.kind.family);
    for (const auto& [name, share] : run.work)
      if (share >= npu::kMeasuredShare) work.emplace(family, name);
    for (const auto& [name, value] : run.registers) {
      auto& [least, most] = registers.try_emplace({family, name}, value, value).first->second;
      least = std::min(least, value);
      most = std::max(most, value);
    }
  }
  for (const auto& [family, name] : work) table.work.push_back({family, name});
  for (const auto& [key, range] : registers)
    table.registers.push_back({key.first, key.second, range.first, range.second});
}

}  // namespace

npu::IntervalTable intervals_of(const Runs& outcomes) {
  npu::IntervalTable table;
  auto& rows = table.kinds;
  for (int levels = 0; levels < 3; ++levels) add_level(rows, outcomes, levels, levels == 2);
  // Settings that were never measured for a family: another memory mode, registers, no timing adapter.
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
  add_measured(table, outcomes);
  return table;
}

std::vector<Coverage> leave_out(const std::vector<Outcome>& outcomes, const std::function<std::string(const Outcome&)>& by) {
  Runs measured;
  std::set<std::string> keys;
  std::vector<Coverage> table;
  const auto row_of = [&](const Outcome& outcome) -> Coverage& {
    const std::string family(to_string(outcome.cell->accelerator->family));
    const auto found = std::ranges::find_if(
        table, [&](const auto& c) { return c.family == family && c.group == outcome.cell->group; });
    return found != table.end() ? *found : table.emplace_back(Coverage{family, outcome.cell->group});
  };
  for (const auto& outcome : outcomes) {
    if (!outcome.profile || !outcome.cell->cycles) continue;
    measured.push_back(&outcome);
    keys.insert(by(outcome));
  }
  for (const auto& key : keys) {
    Runs others;
    std::ranges::copy_if(measured, std::back_inserter(others), [&](const auto* outcome) { return by(*outcome) != key; });
    const auto intervals = intervals_of(others);
    for (const auto* outcome : measured) {
      if (by(*outcome) != key) continue;
      auto& row = row_of(*outcome);
      ++row.runs;
      const auto found = npu::estimate(*outcome->profile, intervals);
      if (!found) continue;
      ++row.with_interval;
      row.inside += miss(*outcome) <= found->half_width;
      row.mean_half_width += found->half_width;
    }
  }
  for (auto& row : table)
    if (row.with_interval) row.mean_half_width /= row.with_interval;
  std::ranges::sort(table, {}, [](const Coverage& row) { return std::pair(row.group, row.family); });
  return table;
}

std::string interval_rows(const std::vector<Outcome>& outcomes) {
  Runs runs;
  for (const auto& outcome : outcomes)
    if (outcome.profile && outcome.cell->cycles) runs.push_back(&outcome);
  const npu::IntervalTable table = intervals_of(runs);
  std::string text;
  for (const auto& row : table.kinds)
    text += fmt::format("MACAW_INTERVAL(\"{}\", \"{}\", \"{}\", \"{}\", \"{}\", {:.1f}, {:.0f}, {}, {})\n",
                        row.kind.family, row.kind.adapter, row.kind.memory, row.kind.bound, row.kind.length,
                        100 * row.half_width, 100 * row.coverage, row.runs, row.networks);
  for (const auto& row : table.work)
    text += fmt::format("MACAW_MEASURED_WORK(\"{}\", \"{}\")\n", row.family, row.work);
  for (const auto& row : table.registers)
    text += fmt::format("MACAW_MEASURED_REGISTER(\"{}\", \"{}\", {:g}, {:g})\n", row.family, row.name, row.least,
                        row.most);
  return text;
}

namespace {

std::string coverage_table(const std::vector<Outcome>& outcomes, std::string_view what,
                           const std::function<std::string(const Outcome&)>& by) {
  std::string text = fmt::format(
      "### Intervals, each {} left out in turn\n\n| NPU | class | runs | with an interval | inside | mean half width |\n"
      "|---|---|---|---|---|---|\n",
      what);
  int with = 0, inside = 0;
  for (const auto& row : leave_out(outcomes, by)) {
    text += fmt::format("| {} | {} | {} | {} | {} | {:.1f} % |\n", row.family, row.group, row.runs, row.with_interval,
                        row.inside, 100 * row.mean_half_width);
    with += row.with_interval;
    inside += row.inside;
  }
  return text + fmt::format("\n{} of {} measured runs that get an interval are inside: {:.0f} %.\n", inside, with,
                            100.0 * inside / std::max(with, 1));
}

/// The accelerator with everything around it, but not the network.
std::string configuration(const Outcome& outcome) {
  const auto& options = outcome.cell->options;
  std::string text = fmt::format("{} {} {} {}", outcome.cell->accelerator->name, options.system, options.memory_mode,
                                 options.timing_adapter);
  for (const auto& [name, value] : options.params) text += fmt::format(" {}={}", name, value);
  return text;
}

}  // namespace

std::string coverage_tables(const std::vector<Outcome>& outcomes) {
  return coverage_table(outcomes, "network", [](const Outcome& outcome) { return outcome.cell->network; }) + "\n" +
         coverage_table(outcomes, "configuration", configuration);
}

}  // namespace macaw::calibrate
