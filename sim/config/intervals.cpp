#include "sim/config/intervals.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace macaw::npu {
namespace {

constexpr std::uint64_t kLongRun = 100'000;  // minimum cycles for single round trips not to matter
// Operations of kinds that were not measured may take half as long again: streams of such operations were off by
// up to 56 % on silicon (docs/ACCURACY.md).
constexpr double kUnmeasuredWork = 0.5;
constexpr std::string_view kClockName = "clock_hz";

constexpr std::string_view kComputeUnits[] = {"mac", "weight_decoder", "output_unit"};

/// Splits the time in which operations were active; time of several operations is charged to the first.
template <typename Add>
void split_time(const TimedResult& run, Add add) {
  std::uint64_t until = 0;
  for (const OperationTiming& operation : run.operations) {
    const std::uint64_t from = std::max(until, operation.start);
    if (operation.end <= from) continue;
    add(operation, operation.end - from);
    until = operation.end;
  }
}

/// Returns what bounds the operations during the larger part of that time.
std::string_view bound_of(const TimedResult& run) {
  std::uint64_t compute = 0, memory = 0;
  split_time(run, [&](const OperationTiming& operation, std::uint64_t cycles) {
    const bool computes = std::ranges::find(kComputeUnits, operation.bound) != std::end(kComputeUnits);
    (computes ? compute : memory) += cycles;
  });
  return compute > memory ? "compute" : "memory";
}

std::map<std::string, double> work_of(const TimedResult& run) {
  std::map<std::string, double> work;
  double all = 0;
  split_time(run, [&](const OperationTiming& operation, std::uint64_t cycles) {
    work[operation.work] += static_cast<double>(cycles);
    all += static_cast<double>(cycles);
  });
  for (auto& [name, share] : work) share /= all;
  return work;
}

bool is_register(const MemoryField& field) {
  constexpr std::string_view kOther[] = {"beats_per_cycle",      "access_latency",  "least_bytes",
                                         "partial_write_cycles", "separate_pixels", "traffic"};
  return std::ranges::find(kOther, field.name) == std::end(kOther);
}

/// Returns whether registers of the timing adapter were overridden, or why a run with these overrides was not measured.
tl::expected<bool, std::string> has_other_registers(const Setup& setup) {
  bool other = false;
  for (const std::string& name : setup.overridden) {
    if (name == kClockName) continue;
    const auto dot = name.find('.');
    if (dot == name.npos) return tl::unexpected(fmt::format("constants of the model were overridden: {}", name));
    const MemoryField* field = find_memory_field(name.substr(dot + 1));
    if (!field || !is_register(*field))
      return tl::unexpected(fmt::format("nothing was measured with another {}", name.substr(dot + 1)));
    other = true;
  }
  return other;
}

/// The registers of the timing adapter, "axi1.read_latency".
std::map<std::string, double> registers_of(const Setup& setup) {
  std::map<std::string, double> registers;
  for (std::size_t side = 0; side < setup.system.memory.size(); ++side)
    for (const MemoryField& field : memory_fields())
      if (is_register(field))
        registers[fmt::format("axi{}.{}", side, field.name)] = field.get(setup.system.memory[side]);
  return registers;
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

/// 0.95 quantiles of Student's t by degrees of freedom, from 1 on; the last applies to more.
constexpr double kStudent[] = {6.314, 2.920, 2.353, 2.132, 2.015, 1.943, 1.895, 1.860, 1.833, 1.812};

/// Derives an interval from the errors of the system on networks of its own board: nine of ten further networks are
/// inside if the logarithms of the ratios are normally distributed.
tl::expected<CyclesInterval, std::string> interval_by_ratios(const Setup& setup, std::uint64_t run_cycles) {
  const SystemConfig& system = setup.system;
  for (const std::string& name : setup.overridden)
    if (name != kClockName)
      return tl::unexpected(fmt::format("{} was measured as it is, not with another {}", system.name, name));
  if (setup.mode.name != system.default_mode)
    return tl::unexpected(fmt::format("{} was measured in memory mode {} alone", system.name, system.default_mode));
  double squares = 0;
  for (const double ratio : system.measured_ratios) squares += std::pow(std::log(ratio), 2);
  const std::size_t count = system.measured_ratios.size(), spare = count - system.fitted_values;
  const double quantile = kStudent[std::min(spare, std::size(kStudent)) - 1];
  // A network may depend on a fitted value as much as all the networks together to which the value was fitted.
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

const IntervalTable& measured_intervals() {
  static const IntervalTable table = [] {
    IntervalTable made;
#define MACAW_INTERVAL(family, adapter, memory, bound, length, half_width, coverage, runs, networks) \
  made.kinds.push_back(                                                                              \
      {{family, adapter, memory, bound, length}, (half_width) / 100.0, (coverage) / 100.0, runs, networks});
#define MACAW_MEASURED_WORK(family, kind) made.work.push_back({family, kind});
#define MACAW_MEASURED_REGISTER(family, name, least, most) made.registers.push_back({family, name, least, most});
#include "sim/config/intervals.def"
#undef MACAW_INTERVAL
#undef MACAW_MEASURED_WORK
#undef MACAW_MEASURED_REGISTER
    return made;
  }();
  return table;
}

const KindInterval* find_interval(const RunKind& kind, std::span<const KindInterval> rows) {
  const auto found = std::ranges::find_if(rows, [&](const KindInterval& row) {
    return fits(row.kind.family, kind.family) && fits(row.kind.adapter, kind.adapter) &&
           fits(row.kind.memory, kind.memory) && fits(row.kind.bound, kind.bound) && fits(row.kind.length, kind.length);
  });
  return found == rows.end() ? nullptr : &*found;
}

tl::expected<RunProfile, std::string> profile_of(const Accelerator& accelerator, const Setup& setup,
                                                 const TimedResult& run) {
  if (setup.system.name != default_system(accelerator))
    return tl::unexpected(fmt::format("no interval was drawn from measurements on system {}", setup.system.name));
  const auto other_registers = has_other_registers(setup);
  if (!other_registers) return tl::unexpected(other_registers.error());
  const bool own_mode = setup.mode.name == traits(accelerator.family).default_memory_mode;
  return RunProfile{.kind = {.family = to_string(accelerator.family),
                             .adapter = setup.timing_adapter ? "on" : "off",
                             .memory = *other_registers ? "registers"
                                       : own_mode       ? "own"
                                                        : "mode",
                             .bound = bound_of(run),
                             .length = run.cycles < kLongRun ? "short" : "long"},
                    .work = work_of(run),
                    .registers = setup.timing_adapter ? registers_of(setup) : std::map<std::string, double>{}};
}

tl::expected<IntervalEstimate, std::string> estimate(const RunProfile& run, const IntervalTable& table) {
  for (const auto& [name, value] : run.registers) {
    const auto range = std::ranges::find_if(table.registers, [&, &key = name](const MeasuredRegister& row) {
      return row.family == run.kind.family && row.name == key;
    });
    if (range == table.registers.end()) return tl::unexpected(fmt::format("nothing was measured with {}", name));
    if (value < range->least || value > range->most)
      return tl::unexpected(fmt::format("{}={:g} is outside of what was measured, {:g}{}", name, value, range->least,
                                        range->least == range->most ? "" : fmt::format(" to {:g}", range->most)));
  }
  IntervalEstimate result;
  double largest = 0;
  for (const auto& [work, share] : run.work) {
    const auto is_this = [&, &key = work](const MeasuredWork& row) {
      return row.family == run.kind.family && row.work == key;
    };
    if (std::ranges::any_of(table.work, is_this)) continue;
    result.unmeasured += share;
    if (share > largest) result.unmeasured_work = work;
    largest = std::max(largest, share);
  }
  result.row = find_interval(run.kind, table.kinds);
  if (!result.row) return tl::unexpected(std::string("no run of this kind was measured"));
  result.half_width = result.row->half_width + kUnmeasuredWork * result.unmeasured;
  if (result.half_width <= kWidestInterval) return result;
  if (result.row->half_width <= kWidestInterval)
    return tl::unexpected(fmt::format("{:.0f} % of the cycles are work of kinds that were not measured, most of it {}",
                                      100 * result.unmeasured, result.unmeasured_work));
  return tl::unexpected(result.row->runs == 0 ? std::string("no run like this was measured")
                                              : fmt::format("measured runs of this kind were off by {:.0f} %",
                                                            100 * result.row->half_width));
}

tl::expected<CyclesInterval, std::string> interval_of(const Accelerator& accelerator, const Setup& setup,
                                                      const TimedResult& run) {
  if (!setup.system.measured_ratios.empty()) return interval_by_ratios(setup, run.cycles);
  const auto profile = profile_of(accelerator, setup, run);
  if (!profile) return tl::unexpected(profile.error());
  const auto found = estimate(*profile, measured_intervals());
  if (!found) return tl::unexpected(found.error());
  const std::string words = describe(found->row->kind, setup);
  std::string basis = found->row->runs == 0
                          ? fmt::format("extrapolated: no measured run was like this on {}", words)
                          : fmt::format("{} measured runs of {} network{} on {}", found->row->runs,
                                        found->row->networks, found->row->networks == 1 ? "" : "s", words);
  if (found->unmeasured >= kMeasuredShare)
    basis += fmt::format("; wider because {:.0f} % of the cycles are {}, which was not measured",
                         100 * found->unmeasured, found->unmeasured_work);
  const auto cycles = static_cast<double>(run.cycles);
  return CyclesInterval{.low = static_cast<std::uint64_t>(std::floor(cycles * (1 - found->half_width))),
                        .high = static_cast<std::uint64_t>(std::ceil(cycles * (1 + found->half_width))),
                        .coverage = found->row->coverage,
                        .basis = std::move(basis)};
}

}  // namespace macaw::npu
