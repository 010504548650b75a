#include "workflow/report/run_report.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

#include "sim/config/operation_intervals.hpp"
#include "workflow/report/render.hpp"
#include "workflow/report/saved_run.hpp"
#include "workflow/report/summary_json.hpp"

namespace macaw::report {
namespace {

constexpr int kSchemaVersion = 1;
constexpr std::size_t kLayersShown = 15;

std::uint32_t crc32_of(const Tensor& tensor) {
  return static_cast<std::uint32_t>(
      crc32_z(0, reinterpret_cast<const Bytef*>(tensor.bytes().data()), tensor.bytes().size()));
}

nlohmann::json output_json(const RunReport& report, std::size_t i) {
  const auto& tensor = report.run.values.outputs[i];
  return {{"name", report.artifact->outputs[i].name},
          {"file", report.output_files[i]},
          {"shape", tensor.shape()},
          {"dtype", to_string(tensor.dtype())},
          {"crc32", fmt::format("{:08X}", crc32_of(tensor))}};
}

void add_members(nlohmann::json&) {}
/// Adds members to an object: a name, its value, the next name and so on.
template <class Value, class... Others>
void add_members(nlohmann::json& object, const char* name, Value&& value, Others&&... others) {
  object.emplace(name, std::forward<Value>(value));
  add_members(object, std::forward<Others>(others)...);
}
/// An object of such members, where there are many: an initializer list is copied several times.
template <class... Members>
nlohmann::json object_of(Members&&... members) {
  nlohmann::json object = nlohmann::json::object();
  add_members(object, std::forward<Members>(members)...);
  return object;
}

nlohmann::json units_json(const npu::UnitCycles& busy) {
  nlohmann::json json = nlohmann::json::object();
  for (const auto& [unit, cycles] : busy) json.emplace(unit, cycles);
  return json;
}

nlohmann::json operation_json(const npu::OperationTiming& operation) {
  nlohmann::json::array_t movements;
  movements.reserve(operation.movements.size());
  for (const auto& m : operation.movements)
    movements.push_back(object_of("purpose", m.purpose, "region", m.region, "bytes", m.bytes, "first", m.first, "last",
                                  m.last, "write", m.write));
  nlohmann::json json = object_of("step", operation.step, "command", operation.command_index, "name", operation.name,
                                  "issued", operation.issued, "start", operation.start, "end", operation.end, "busy",
                                  units_json(operation.busy), "bound", operation.bound, "offset", operation.byte_offset,
                                  "macs", operation.macs, "memory", std::move(movements));
  if (operation.mac_bits != 0) json["mac_bits"] = operation.mac_bits;
  if (!operation.chain_reads.empty()) json["chain_reads"] = operation.chain_reads;
  if (operation.chain_write) json["chain_write"] = *operation.chain_write;
  if (!operation.source.empty()) json["source"] = operation.source;
  if (!operation.source_kind.empty()) {
    json["kind"] = operation.source_kind;
    json["shape"] = operation.source_ofm;
  }
  if (operation.scheduled)
    json["scheduled"] =
        object_of("id", operation.scheduled->id, "kind", operation.scheduled->kind, "name", operation.scheduled->name);
  for (const auto& block : operation.blocks)
    json["blocks"].push_back(
        object_of("start", block.start, "end", block.end, "busy", units_json(block.busy), "bound", block.bound));
  return json;
}

/// Whole numbers of cycles as integers, the others with up to three digits after the point.
nlohmann::json cycles_json(std::uint64_t ticks) {
  if (ticks % npu::kTicksPerCycle == 0) return ticks / npu::kTicksPerCycle;
  return static_cast<double>(ticks) / static_cast<double>(npu::kTicksPerCycle);
}

nlohmann::json activity_json(const npu::UnitActivity& unit) {
  nlohmann::json::array_t command, start, end, busy;
  for (auto* array : {&command, &start, &end, &busy}) array->reserve(unit.spans.size());
  for (const auto& span : unit.spans) {
    command.emplace_back(span.command_index);
    start.push_back(cycles_json(span.start));
    end.push_back(cycles_json(span.end));
    busy.push_back(cycles_json(span.busy));
  }
  return object_of("step", unit.step, "unit", unit.unit, "resolution", cycles_json(unit.resolution), "command",
                   std::move(command), "start", std::move(start), "end", std::move(end), "busy", std::move(busy));
}

/// Of its results.
std::int64_t elements_of(const npu::HostOperator& host) {
  std::int64_t elements = 0;
  for (const auto& output : host.outputs) elements += output.memory < 0 ? 0 : element_count(output.shape).value_or(0);
  return elements;
}

nlohmann::json host_operators_json(const npu::Artifact& artifact) {
  nlohmann::json json = nlohmann::json::array();
  for (std::size_t step = 0; step < artifact.steps.size(); ++step)
    if (const auto* host = std::get_if<npu::HostOperator>(&artifact.steps[step]))
      json.push_back(
          {{"step", step}, {"operator", host->index}, {"name", host->name}, {"elements", elements_of(*host)}});
  return json;
}

nlohmann::json finding_json(const npu::Finding& finding) {
  nlohmann::json json{{"kind", to_string(finding.kind)},  {"step", finding.step},
                      {"command", finding.command_index}, {"byte_offset", finding.byte_offset},
                      {"disassembly", finding.command},   {"message", finding.message}};
  if (!finding.source.empty()) json["operator"] = finding.source;
  if (finding.range.memory >= 0)
    json["range"] = {
        {"memory", finding.range.memory}, {"offset", finding.range.offset}, {"length", finding.range.length}};
  return json;
}

nlohmann::json interval_json(const npu::CyclesInterval& interval) {
  return {{"low", interval.low}, {"high", interval.high}, {"coverage", interval.coverage}, {"basis", interval.basis}};
}

/// Members of a run with time.
void add_timing(nlohmann::json& json, const RunReport& report) {
  const auto& run = report.run;
  json["system"] = run.system;
  json["memory_mode"] = run.memory_mode;
  json["timing_adapter"] = report.timing_adapter ? "on" : "off";
  json["cycles"] = run.cycles;
  json["cycles_error"] = nullptr;
  if (const auto& bar = run.error_bar)
    json["cycles_error"] = {{"mean", bar->mean}, {"worst", bar->worst}, {"networks", bar->networks}};
  json["cycles_interval"] = nullptr;
  if (run.interval) json["cycles_interval"] = interval_json(*run.interval);
  else json["cycles_interval_reason"] = run.no_interval;
  json["pmu"] = run.pmu.counts;
  json["pmu_unmodelled"] = run.pmu.unmodelled;
  for (const auto& counter : report.counters) {
    nlohmann::json row{{"event", counter.event}, {"number", counter.number}, {"overflow", counter.overflow}};
    row["value"] = counter.value ? nlohmann::json(*counter.value) : nlohmann::json();
    json["pmu_counters"].push_back(std::move(row));
  }
  json["clock_hz"] = run.clock_hz;
  json["bytes_per_cycle"] = run.bytes_per_cycle;
  json["region_side"] = run.region_side;
  json["operations"] = nlohmann::json::array();
  for (const auto& operation : run.operations) json["operations"].push_back(operation_json(operation));
  json["activity"] = nlohmann::json::array();
  for (const auto& unit : run.activity) json["activity"].push_back(activity_json(unit));
}

nlohmann::json advice_json(const RunReport& report) {
  nlohmann::json json = nlohmann::json::array();
  for (const auto& advice : report.advice)
    json.push_back({{"change", advice.change},
                    {"command", advice.command},
                    {"cycles", advice.cycles},
                    {"gain", report.run.cycles - advice.cycles}});
  return json;
}

std::string advice_text(const RunReport& report) {
  if (!report.advised) return {};
  if (report.advice.empty()) return "no other memory mode or bound of the memories lifted saves a cycle\n";
  std::string text = "what would help, as run again in timing mode with one thing changed:\n";
  for (const auto& advice : report.advice) {
    const auto gain = report.run.cycles - advice.cycles;
    text += fmt::format("  {}: saves {} cycles ({:.1f} %)\n    {}\n", advice.change, gain,
                        100 * static_cast<double>(gain) / static_cast<double>(report.run.cycles), advice.command);
  }
  return text;
}

/// Members that are made from the others.
void add_summary(nlohmann::json& json, const RunReport& report) {
  const trace::SavedRun run = saved_run(report);
  // An error bar says that networks were measured in the very configuration.
  const bool measured = report.timing_adapter && report.run.error_bar;
  for (std::size_t i = 0; i < run.operations.size(); ++i) {
    auto& operation = json["operations"][i];
    const std::uint64_t cycles = run.operations[i].held.cycles();
    operation["exclusive"] = cycles;
    if (!measured) continue;
    if (const auto interval = npu::operation_interval(report.accelerator, run.operations[i].name, cycles))
      operation["cycles_interval"] = interval_json(*interval);
  }
  json.update(summary_json(run, summarise(run)));
}

std::string counters_text(const RunReport& report) {
  std::string text;
  for (const auto& counter : report.counters)
    text += fmt::format("  {:<46}{:>14}{}\n", fmt::format("{} ({})", counter.event, counter.number),
                        counter.value ? std::to_string(*counter.value) : "not modelled",
                        counter.overflow ? " (overflow)" : "");
  return text;
}

std::string host_text(const npu::Artifact& artifact) {
  std::string text;
  for (const auto& step : artifact.steps)
    if (const auto* host = std::get_if<npu::HostOperator>(&step))
      text += fmt::format("  untimed, on the CPU: {} (operator {}), {} elements\n", host->name, host->index,
                          elements_of(*host));
    else if (const auto* control = std::get_if<npu::ControlStep>(&step); control && !control->name.empty())
      text += fmt::format("  untimed, on the CPU: {}\n", control->name);
  return text;
}

}  // namespace

nlohmann::json to_json(const RunReport& report) {
  nlohmann::json json{{"schema_version", kSchemaVersion},  {"network", report.network},
                      {"accelerator", report.accelerator}, {"mode", report.mode},
                      {"pmu", nlohmann::json::object()},   {"outputs", nlohmann::json::array()}};
  json["host_operators"] = host_operators_json(*report.artifact);
  for (std::size_t i = 0; i < report.output_files.size(); ++i) json["outputs"].push_back(output_json(report, i));
  json["findings"] = nlohmann::json::array();
  for (const auto& finding : report.findings) json["findings"].push_back(finding_json(finding));
  if (report.mode == "functional") return json;
  add_timing(json, report);
  if (report.advised) json["advice"] = advice_json(report);
  add_summary(json, report);
  return json;
}

std::string to_text(const RunReport& report) {
  auto text = fmt::format("{} on {}, {} mode", report.network, report.accelerator, report.mode);
  if (report.mode != "functional")
    text += fmt::format(", system {}, {}, timing adapter {}", report.run.system, report.run.memory_mode,
                        report.timing_adapter ? "on" : "off");
  text += "\n";
  for (std::size_t i = 0; i < report.output_files.size(); ++i) {
    const auto& tensor = report.run.values.outputs[i];
    text += fmt::format("  {}: {} {} '{}', CRC32 {:08X}\n", report.output_files[i], to_string(tensor.dtype()),
                        to_string(tensor.shape()), report.artifact->outputs[i].name, crc32_of(tensor));
  }
  text += host_text(*report.artifact);
  if (report.mode == "functional") return text;

  const auto run = saved_run(report);
  const auto summary = summarise(run);
  text += fmt::format("cycles {}, {:.3f} ms at {:.0f} MHz ({})\n", run.cycles, 1e3 * run.seconds(), run.clock_hz / 1e6,
                      run.accuracy());
  text += counters_text(report);
  text += layer_table(run, summary, kLayersShown);
  text += bounds_text(run, summary);
  return text + memory_text(run, summary, report.sram_size) + advice_text(report);
}

}  // namespace macaw::report
