#include "workflow/inference/predict.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/near_names.hpp"
#include "workflow/inference/around.hpp"
#include "workflow/inference/host_rows.hpp"
#include "workflow/inference/operator_work.hpp"

namespace macaw::inference {
namespace {

/// Where values are from, for errors.
struct Source {
  ErrorCode code{};
  std::string text;  ///< "--cpu"
};

/// Checks values of members: names of a section of platform.toml, or words.
class NameCheck {
 public:
  explicit NameCheck(const Source& source) : source_(source) {}

  [[nodiscard]] Result<void> operator()(std::string_view name, const std::string& value,
                                        const std::vector<std::string>& known) const {
    if (value.empty() || std::ranges::find(known, value) != known.end()) return {};
    return fail(source_.code,
                fmt::format("{} {}: unknown value '{}'{}", source_.text, name, value, io::near_names(value, known)));
  }

 private:
  const Source& source_;
};

template <class Map>
std::vector<std::string> names_in(const Map& map) {
  std::vector<std::string> names;
  for (const auto& [name, entry] : map) names.push_back(name);
  return names;
}

std::vector<std::string> section_names(const CostTables& tables, std::string_view section) {
  const auto found = tables.platform.find(section);
  return found == tables.platform.end() ? std::vector<std::string>{} : names_in(found->second);
}

Result<void> check_names(const CostTables& tables, const npu::CpuConfig& cpu, const Source& source) {
  const NameCheck check_name(source);
  MACAW_CHECK(check_name("core", cpu.core, section_names(tables, "core")));
  MACAW_CHECK(check_name("compiler", cpu.compiler, section_names(tables, "compiler")));
  MACAW_CHECK(check_name("runtime", cpu.runtime, section_names(tables, "runtime")));
  MACAW_CHECK(check_name("memory", cpu.memory, section_names(tables, "memory")));
  MACAW_CHECK(check_name("driver", cpu.driver, section_names(tables, "driver")));
  MACAW_CHECK(check_name("cache", cpu.cache, {"none", "by-address", "whole"}));
  MACAW_CHECK(check_name("copies", cpu.copies, {"both", "inputs", "outputs", "none"}));
  MACAW_CHECK(check_name("ends", cpu.ends, {"integer", "float"}));
  if (!cpu.library.ends_with(".toml")) MACAW_CHECK(check_name("library", cpu.library, names_in(tables.libraries)));
  return {};
}

/// configs/cpu, with the user's own table if one is named.
Result<CostTables> tables_for(const npu::CpuConfig& cpu) {
  MACAW_ASSIGN(auto tables, built_in_tables());
  if (!cpu.library.ends_with(".toml")) return tables;
  MACAW_ASSIGN(auto library, load_library(cpu.library));
  tables.libraries.insert_or_assign(cpu.library, std::move(library));
  return tables;
}

GroupedRow part_row(const char* kind, const Part& part) {
  return {{.kind = kind,
           .name = part.name,
           .ms = part.ms.typical,
           .low_ms = part.ms.low,
           .high_ms = part.ms.high,
           .source = part.source},
          kind};
}

GroupedRow npu_row(const NpuTime& npu) {
  return {{.kind = "npu",
           .name = "NPU",
           .ms = npu.ms,
           .low_ms = npu.low_ms.value_or(npu.ms),
           .high_ms = npu.high_ms.value_or(npu.ms),
           .source = npu.source},
          "npu"};
}

GroupedRow given_row(const char* kind, double ms) {
  return {{.kind = kind, .name = std::string("--") + kind, .ms = ms, .low_ms = ms, .high_ms = ms, .source = "the user"},
          kind};
}

/// Totals: rows of a group are off together, groups by themselves.
void add_totals(npu::Inference& inference, const std::vector<GroupedRow>& rows) {
  std::map<std::string, std::pair<double, double>> deviations;
  for (const auto& [row, group] : rows) {
    if (!row.ms) {
      inference.lower_bound = true;
      continue;
    }
    inference.ms += *row.ms;
    deviations[group].first += *row.ms - row.low_ms;
    deviations[group].second += row.high_ms - *row.ms;
  }
  double below = 0, above = 0;
  for (const auto& [group, deviation] : deviations) {
    below += deviation.first * deviation.first;
    above += deviation.second * deviation.second;
  }
  inference.low_ms = inference.ms - std::sqrt(below);
  inference.high_ms = inference.ms + std::sqrt(above);
  for (const auto& [row, group] : rows) inference.rows.push_back(row);
}

std::string words_of(const npu::CpuConfig& cpu) {
  auto text = fmt::format("{} at {:g} MHz", cpu.core, cpu.clock_hz / 1e6);
  for (const auto* member : {&cpu.library, &cpu.compiler})
    if (!member->empty()) text += ", " + *member;
  return text;
}

bool has_unknown_cpu(const npu::CpuConfig& cpu) { return cpu.core.empty() || !(cpu.clock_hz > 0); }

/// Operators without a cost, where the CPU is not described.
std::vector<GroupedRow> rows_without_cpu(const npu::Artifact& artifact) {
  std::vector<GroupedRow> rows;
  for (const auto& step : artifact.steps)
    if (const auto* op = std::get_if<npu::HostOperator>(&step))
      rows.push_back({{.kind = "cpu",
                       .name = fmt::format("operator {} {}, {}", op->index, op->name, shapes_of(*op)),
                       .ms = {},
                       .source = "the CPU is not described"},
                      "cpu"});
  return rows;
}

}  // namespace

Result<npu::CpuConfig> cpu_of(const std::optional<npu::CpuConfig>& system, const std::vector<std::string>& said,
                              std::string_view system_name) {
  MACAW_ASSIGN(const auto tables, built_in_tables());
  const Source file{ErrorCode::kInvalidFile, fmt::format("[cpu] of the system '{}':", system_name)};
  if (system) MACAW_CHECK(check_names(tables, *system, file));
  auto cpu = system.value_or(npu::CpuConfig{});
  for (const auto& item : said) {
    const auto equals = item.find('=');
    const auto name = item.substr(0, equals);
    if (equals == std::string::npos)
      return fail(ErrorCode::kUsage, fmt::format("--cpu '{}': expected NAME=VALUE, as core=cortex-m55", item));
    const auto set = npu::set_cpu_field(cpu, name, std::string_view(item).substr(equals + 1));
    if (!set) return fail(ErrorCode::kUsage, fmt::format("--cpu: '{}' {}", name, set.error().message));
  }
  if (const auto wrong = contradiction(cpu); !wrong.empty())
    return said.empty() ? fail(file.code, fmt::format("{} {}", file.text, wrong))
                        : fail(ErrorCode::kUsage, fmt::format("--cpu: {}", wrong));
  MACAW_CHECK(check_names(tables, cpu, {ErrorCode::kUsage, "--cpu"}));
  return cpu;
}

Result<npu::Inference> predict(const npu::Artifact& artifact, const npu::CpuConfig& cpu, const NpuTime& npu,
                               const Options& options) {
  npu::Inference inference;
  std::vector<GroupedRow> rows;
  if (options.before_ms > 0) rows.push_back(given_row("before", options.before_ms));
  if (has_unknown_cpu(cpu)) {
    rows.push_back(npu_row(npu));
    std::ranges::move(rows_without_cpu(artifact), std::back_inserter(rows));
    if (options.after_ms > 0) rows.push_back(given_row("after", options.after_ms));
    add_totals(inference, rows);
    inference.lower_bound = true;
    inference.notes.emplace_back("the CPU is not described: give --cpu core=NAME,clock_hz=HZ");
    return inference;
  }
  MACAW_ASSIGN(const auto tables, tables_for(cpu));
  // One rate is behind all copies: they are off together.
  const std::string copy_group = "copy";
  rows.push_back({part_row("copy_in", copies(tables, cpu, artifact, true)).row, copy_group});
  rows.push_back(part_row("cache", cache_maintenance(tables, cpu, artifact)));
  rows.push_back(npu_row(npu));
  std::ranges::move(host_rows(tables, cpu, artifact), std::back_inserter(rows));
  rows.push_back(part_row("runtime", runtime(tables, cpu, artifact)));
  rows.push_back(part_row("driver", driver(tables, cpu, artifact)));
  rows.push_back({part_row("copy_out", copies(tables, cpu, artifact, false)).row, copy_group});
  if (options.after_ms > 0) rows.push_back(given_row("after", options.after_ms));
  add_totals(inference, rows);
  inference.savings = savings(tables, cpu, artifact, inference);
  inference.cpu = words_of(cpu);
  inference.basis = "ranges of the rows; operators of one class are off together, everything else independently";
  if (!npu.low_ms) inference.basis += "; the NPU's part has no interval on this system";
  if (inference.lower_bound)
    inference.notes.emplace_back("a lower bound: operators without a known cost are not in it");
  if (const auto choice = open_choice(tables, cpu, artifact); !choice.empty()) inference.notes.push_back(choice);
  if (npu::has_control_flow(artifact))
    inference.notes.emplace_back("IF and WHILE: each operator of the CPU is counted once");
  return inference;
}

}  // namespace macaw::inference
