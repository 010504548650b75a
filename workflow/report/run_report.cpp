#include "workflow/report/run_report.hpp"

#include <fmt/format.h>

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

nlohmann::json output_json(const npu::RunOutput& output) {
  return {{"name", output.name},
          {"file", output.file},
          {"shape", output.shape},
          {"dtype", to_string(output.dtype)},
          {"crc32", fmt::format("{:08X}", output.crc32)}};
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

nlohmann::json host_operator_json(const npu::HostStep& host) {
  return {{"step", host.step}, {"operator", host.index}, {"name", host.name}, {"elements", host.elements}};
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
void add_timing(nlohmann::json& json, const npu::RunRecord& record) {
  json["system"] = record.system;
  json["memory_mode"] = record.memory_mode;
  json["timing_adapter"] = record.timing_adapter ? "on" : "off";
  json["cycles"] = record.cycles;
  json["cycles_error"] = nullptr;
  if (const auto& bar = record.error_bar)
    json["cycles_error"] = {{"mean", bar->mean}, {"worst", bar->worst}, {"networks", bar->networks}};
  json["cycles_interval"] = nullptr;
  if (record.interval) json["cycles_interval"] = interval_json(*record.interval);
  else json["cycles_interval_reason"] = record.no_interval;
  json["pmu"] = record.pmu.counts;
  json["pmu_unmodelled"] = record.pmu.unmodelled;
  for (const auto& counter : record.counters) {
    nlohmann::json row{{"event", counter.event}, {"number", counter.number}, {"overflow", counter.overflow}};
    row["value"] = counter.value ? nlohmann::json(*counter.value) : nlohmann::json();
    json["pmu_counters"].push_back(std::move(row));
  }
  json["clock_hz"] = record.clock_hz;
  json["bytes_per_cycle"] = record.bytes_per_cycle;
  json["region_side"] = record.region_side;
  json["operations"] = nlohmann::json::array();
  for (const auto& operation : record.operations) json["operations"].push_back(operation_json(operation));
  json["activity"] = nlohmann::json::array();
  for (const auto& unit : record.activity) json["activity"].push_back(activity_json(unit));
}

nlohmann::json advice_json(const npu::RunRecord& record) {
  nlohmann::json json = nlohmann::json::array();
  for (const auto& advice : *record.advice)
    json.push_back({{"change", advice.change},
                    {"command", advice.command},
                    {"cycles", advice.cycles},
                    {"gain", record.cycles - advice.cycles}});
  return json;
}

std::string advice_text(const npu::RunRecord& record) {
  if (!record.advice) return {};
  if (record.advice->empty()) return "no other memory mode or bound of the memories lifted saves a cycle\n";
  std::string text = "what would help, as run again in timing mode with one thing changed:\n";
  for (const auto& advice : *record.advice) {
    const auto gain = record.cycles - advice.cycles;
    text += fmt::format("  {}: saves {} cycles ({:.1f} %)\n    {}\n", advice.change, gain,
                        100 * static_cast<double>(gain) / static_cast<double>(record.cycles), advice.command);
  }
  return text;
}

/// Members that are made from the others.
void add_summary(nlohmann::json& json, const npu::RunRecord& record) {
  const trace::SavedRun run = saved_run(record);
  // An error bar says that networks were measured in the very configuration.
  const bool measured = record.timing_adapter && record.error_bar;
  for (std::size_t i = 0; i < run.operations.size(); ++i) {
    auto& operation = json["operations"][i];
    const std::uint64_t cycles = run.operations[i].held.cycles();
    operation["exclusive"] = cycles;
    if (!measured) continue;
    if (const auto interval = npu::operation_interval(record.accelerator->name, run.operations[i].name, cycles))
      operation["cycles_interval"] = interval_json(*interval);
  }
  json.update(summary_json(run, summarise(run)));
}

std::string counters_text(const npu::RunRecord& record) {
  std::string text;
  for (const auto& counter : record.counters)
    text += fmt::format("  {:<46}{:>14}{}\n", fmt::format("{} ({})", counter.event, counter.number),
                        counter.value ? std::to_string(*counter.value) : "not modelled",
                        counter.overflow ? " (overflow)" : "");
  return text;
}

std::string host_text(const npu::RunRecord& record, const npu::Artifact& artifact) {
  std::string text;
  auto host = record.host_operators.begin();
  for (const auto& step : artifact.steps)
    if (std::holds_alternative<npu::HostOperator>(step)) {
      text += fmt::format("  untimed, on the CPU: {} (operator {}), {} elements\n", host->name, host->index,
                          host->elements);
      ++host;
    } else if (const auto* control = std::get_if<npu::ControlStep>(&step); control && !control->name.empty()) {
      text += fmt::format("  untimed, on the CPU: {}\n", control->name);
    }
  return text;
}

}  // namespace

nlohmann::json to_json(const npu::RunRecord& record) {
  nlohmann::json json{{"schema_version", kSchemaVersion},          {"network", record.network},
                      {"accelerator", record.accelerator->name},   {"mode", npu::to_string(record.mode)},
                      {"pmu", nlohmann::json::object()},           {"outputs", nlohmann::json::array()},
                      {"host_operators", nlohmann::json::array()}, {"findings", nlohmann::json::array()}};
  for (const auto& host : record.host_operators) json["host_operators"].push_back(host_operator_json(host));
  for (const auto& output : record.outputs) json["outputs"].push_back(output_json(output));
  for (const auto& finding : record.findings) json["findings"].push_back(finding_json(finding));
  if (record.mode == npu::RunMode::kFunctional) return json;
  add_timing(json, record);
  if (record.advice) json["advice"] = advice_json(record);
  add_summary(json, record);
  return json;
}

std::string to_text(const npu::RunRecord& record, const npu::Artifact& artifact,
                    std::optional<std::uint64_t> sram_size) {
  auto text = fmt::format("{} on {}, {} mode", record.network, record.accelerator->name, npu::to_string(record.mode));
  const bool timed = record.mode != npu::RunMode::kFunctional;
  if (timed)
    text += fmt::format(", system {}, {}, timing adapter {}", record.system, record.memory_mode,
                        record.timing_adapter ? "on" : "off");
  text += "\n";
  for (const auto& output : record.outputs)
    text += fmt::format("  {}: {} {} '{}', CRC32 {:08X}\n", output.file, to_string(output.dtype),
                        to_string(output.shape), output.name, output.crc32);
  text += host_text(record, artifact);
  if (!timed) return text;

  const auto run = saved_run(record);
  const auto summary = summarise(run);
  text += fmt::format("cycles {}, {:.3f} ms at {:.0f} MHz ({})\n", run.cycles, 1e3 * run.seconds(), run.clock_hz / 1e6,
                      run.accuracy());
  text += counters_text(record);
  text += layer_table(run, summary, kLayersShown);
  text += bounds_text(run, summary);
  return text + memory_text(run, summary, sram_size) + advice_text(record);
}

}  // namespace macaw::report
