#include "sim/config/intervals.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace macaw::npu {
namespace {

constexpr KindInterval kIntervals[] = {
#define MACAW_INTERVAL(family, adapter, memory, bound, length, half_width, coverage, runs, networks) \
  {{family, adapter, memory, bound, length}, (half_width) / 100.0, (coverage) / 100.0, runs, networks},
#include "sim/config/intervals.def"
#undef MACAW_INTERVAL
};

constexpr std::uint64_t kLongRun = 100'000;  // cycles from which on single round trips stop to matter

constexpr std::string_view kComputeUnits[] = {"mac", "weight_decoder", "output_unit"};

/// The larger part of the time in which operations were at work, by what bounds them; of several at once the first.
std::string_view bound_of(const TimedResult& run) {
  std::uint64_t compute = 0, memory = 0, until = 0;
  for (const OperationTiming& operation : run.operations) {
    const std::uint64_t from = std::max(until, operation.start);
    if (operation.end <= from) continue;
    const bool computes = std::ranges::find(kComputeUnits, operation.bound) != std::end(kComputeUnits);
    (computes ? compute : memory) += operation.end - from;
    until = operation.end;
  }
  return compute > memory ? "compute" : "memory";
}

bool is_register(const MemoryField& field) {
  constexpr std::string_view kOther[] = {"beats_per_cycle",      "access_latency",  "least_bytes",
                                         "partial_write_cycles", "separate_pixels", "traffic"};
  return std::ranges::find(kOther, field.name) == std::end(kOther);
}

/// The memory as the kinds name it; why it was not measured otherwise.
tl::expected<std::string_view, std::string> memory_of(const Accelerator& accelerator, const Setup& setup) {
  for (const std::string& name : setup.overridden) {
    const auto dot = name.find('.');
    const MemoryField* field = dot == name.npos ? nullptr : find_memory_field(name.substr(dot + 1));
    if (dot == name.npos) return tl::unexpected(fmt::format("constants of the model were overridden: {}", name));
    if (!field || !is_register(*field))
      return tl::unexpected(fmt::format("nothing was measured with another {}", name.substr(dot + 1)));
  }
  if (!setup.overridden.empty()) return "registers";
  return setup.mode.name == traits(accelerator.family).default_memory_mode ? "own" : "mode";
}

/// "corstone-300-u55: U55, timing adapter on, own memory mode, bound by memory, short".
std::string describe(const RunKind& kind, const Setup& setup) {
  std::string text = fmt::format("{}: {}", setup.system.name, kind.family);
  if (kind.adapter != "any") text += fmt::format(", timing adapter {}", kind.adapter);
  if (kind.memory == "own") text += fmt::format(", {}", setup.mode.name);
  if (kind.memory == "mode") text += ", less measured memory modes";
  if (kind.memory == "registers") text += ", overridden registers of the timing adapter";
  if (kind.bound != "any") text += fmt::format(", bound by {}", kind.bound);
  if (kind.length != "any") text += fmt::format(", {} 100,000 cycles", kind.length == "short" ? "below" : "from");
  return text;
}

/// 0.95 quantiles of Student's t by degrees of freedom, from 1 on; more count as the last.
constexpr double kStudent[] = {6.314, 2.920, 2.353, 2.132, 2.015, 1.943, 1.895, 1.860, 1.833, 1.812};

/// From how far the system is off on networks of its own board: where another one is in nine of ten cases, if the
/// logarithms of such ratios are normally distributed.
tl::expected<CyclesInterval, std::string> interval_by_ratios(const Setup& setup, std::uint64_t run_cycles) {
  const SystemConfig& system = setup.system;
  for (const std::string& name : setup.overridden)
    if (name != "clock_hz")
      return tl::unexpected(fmt::format("{} was measured as it is, not with another {}", system.name, name));
  if (setup.mode.name != system.default_mode)
    return tl::unexpected(fmt::format("{} was measured in memory mode {} alone", system.name, system.default_mode));
  double squares = 0;
  for (const double ratio : system.measured_ratios) squares += std::pow(std::log(ratio), 2);
  const std::size_t count = system.measured_ratios.size(), spare = count - system.fitted_values;
  const double quantile = kStudent[std::min(spare, std::size(kStudent)) - 1];
  // A network may depend on a fitted value as much as all those together that it was fitted to.
  const auto spread = static_cast<double>(1 + system.fitted_values);
  const double width = quantile * std::sqrt(squares / static_cast<double>(spare) * spread);
  const auto cycles = static_cast<double>(run_cycles);
  return CyclesInterval{.low = static_cast<std::uint64_t>(std::floor(cycles * std::exp(-width))),
                        .high = static_cast<std::uint64_t>(std::ceil(cycles * std::exp(width))),
                        .coverage = 0.9,
                        .basis = fmt::format("{} networks measured on {}, values of it fitted to them: {}", count,
                                             system.name, system.fitted_values)};
}

bool fits(std::string_view row, std::string_view value) { return row == "any" || row == value; }

}  // namespace

std::span<const KindInterval> kind_intervals() { return kIntervals; }

const KindInterval* find_interval(const RunKind& kind, std::span<const KindInterval> rows) {
  const auto found = std::ranges::find_if(rows, [&](const KindInterval& row) {
    return fits(row.kind.family, kind.family) && fits(row.kind.adapter, kind.adapter) &&
           fits(row.kind.memory, kind.memory) && fits(row.kind.bound, kind.bound) && fits(row.kind.length, kind.length);
  });
  return found == rows.end() ? nullptr : &*found;
}

tl::expected<RunKind, std::string> kind_of(const Accelerator& accelerator, const Setup& setup, const TimedResult& run) {
  if (setup.system.name != default_system(accelerator))
    return tl::unexpected(fmt::format("no interval was drawn from measurements on system {}", setup.system.name));
  const auto memory = memory_of(accelerator, setup);
  if (!memory) return tl::unexpected(memory.error());
  return RunKind{.family = to_string(accelerator.family),
                 .adapter = setup.timing_adapter ? "on" : "off",
                 .memory = *memory,
                 .bound = bound_of(run),
                 .length = run.cycles < kLongRun ? "short" : "long"};
}

tl::expected<CyclesInterval, std::string> interval_of(const Accelerator& accelerator, const Setup& setup,
                                                      const TimedResult& run) {
  if (!setup.system.measured_ratios.empty()) return interval_by_ratios(setup, run.cycles);
  const auto kind = kind_of(accelerator, setup, run);
  if (!kind) return tl::unexpected(kind.error());
  const KindInterval* row = find_interval(*kind, kIntervals);
  if (!row) return tl::unexpected(std::string("no run of this kind was measured"));
  const std::string words = describe(row->kind, setup);
  if (row->half_width > kWidestInterval)
    return tl::unexpected(row->runs == 0
                              ? fmt::format("no run like this was measured on {}", words)
                              : fmt::format("measured runs on {} were off by {:.0f} %", words, 100 * row->half_width));
  const auto cycles = static_cast<double>(run.cycles);
  return CyclesInterval{
      .low = static_cast<std::uint64_t>(std::floor(cycles * (1 - row->half_width))),
      .high = static_cast<std::uint64_t>(std::ceil(cycles * (1 + row->half_width))),
      .coverage = row->coverage,
      .basis = row->runs == 0
                   ? fmt::format("wider than those of measured runs, none of which was like this on {}", words)
                   : fmt::format("{} measured runs of {} networks on {}", row->runs, row->networks, words)};
}

}  // namespace macaw::npu
