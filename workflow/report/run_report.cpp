#include "workflow/report/run_report.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>

#include <nlohmann/json.hpp>

namespace macaw::report {
namespace {

constexpr int kSchemaVersion = 1;
constexpr std::size_t kSlowestShown = 10;

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

nlohmann::json units_json(const npu::UnitCycles& busy) {
  nlohmann::json json = nlohmann::json::object();
  for (const auto& [unit, cycles] : busy) json[unit] = cycles;
  return json;
}

nlohmann::json operation_json(const npu::OperationTiming& operation) {
  nlohmann::json json{{"step", operation.step},
                      {"command", operation.command_index},
                      {"name", operation.name},
                      {"issued", operation.issued},
                      {"start", operation.start},
                      {"end", operation.end},
                      {"busy", units_json(operation.busy)},
                      {"bound", operation.bound},
                      {"offset", operation.byte_offset},
                      {"macs", operation.macs},
                      {"memory", nlohmann::json::array()}};
  for (const auto& m : operation.movements)
    json["memory"].push_back({{"purpose", m.purpose},
                              {"region", m.region},
                              {"bytes", m.bytes},
                              {"first", m.first},
                              {"last", m.last},
                              {"write", m.write}});
  if (!operation.source.empty()) json["source"] = operation.source;
  for (const auto& block : operation.blocks)
    json["blocks"].push_back(
        {{"start", block.start}, {"end", block.end}, {"busy", units_json(block.busy)}, {"bound", block.bound}});
  return json;
}

nlohmann::json host_operators_json(const npu::Artifact& artifact) {
  nlohmann::json json = nlohmann::json::array();
  for (std::size_t step = 0; step < artifact.steps.size(); ++step)
    if (const auto* host = std::get_if<npu::HostOperator>(&artifact.steps[step]))
      json.push_back({{"step", step}, {"operator", host->index}, {"name", host->name}});
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
  json["system"] = report.run.system;
  json["memory_mode"] = report.run.memory_mode;
  json["timing_adapter"] = report.timing_adapter ? "on" : "off";
  json["cycles"] = report.run.cycles;
  json["cycles_error"] = nullptr;
  if (const auto& bar = report.run.error_bar)
    json["cycles_error"] = {{"mean", bar->mean}, {"worst", bar->worst}, {"networks", bar->networks}};
  json["pmu"] = report.run.pmu.counts;
  json["pmu_unmodelled"] = report.run.pmu.unmodelled;
  for (const auto& counter : report.counters) {
    nlohmann::json row{{"event", counter.event}, {"number", counter.number}, {"overflow", counter.overflow}};
    row["value"] = counter.value ? nlohmann::json(*counter.value) : nlohmann::json();
    json["pmu_counters"].push_back(std::move(row));
  }
  json["clock_hz"] = report.run.clock_hz;
  json["bytes_per_cycle"] = report.run.bytes_per_cycle;
  json["region_side"] = report.run.region_side;
  json["operations"] = nlohmann::json::array();
  for (const auto& operation : report.run.operations) json["operations"].push_back(operation_json(operation));
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
  if (const auto hosts = host_operators_json(*report.artifact); !hosts.empty()) {
    text += "on the CPU, without time:";
    for (const auto& host : hosts) text += fmt::format(" {}", host.at("name").get<std::string>());
    text += "\n";
  }
  if (report.mode == "functional") return text;

  text += fmt::format("cycles {}", report.run.cycles);
  if (const auto& bar = report.run.error_bar)
    text += fmt::format(" (measured networks in this configuration: {:.1f} % off on average, {:.1f} % at most)\n",
                        100 * bar->mean, 100 * bar->worst);
  else text += " (nothing was measured in this configuration)\n";
  for (const auto& counter : report.counters)
    text += fmt::format("  {:<46}{:>14}{}\n", fmt::format("{} ({})", counter.event, counter.number),
                        counter.value ? std::to_string(*counter.value) : "not modelled",
                        counter.overflow ? " (overflow)" : "");
  if (report.counters.empty())
    for (const auto& [event, count] : report.run.pmu.counts)
      if (count != 0) text += fmt::format("  {:<46}{:>14}\n", event, count);

  auto slowest = report.run.operations;
  std::ranges::stable_sort(slowest, std::greater{}, [](const auto& o) { return o.end - o.start; });
  if (slowest.size() > kSlowestShown) slowest.resize(kSlowestShown);
  text += fmt::format("operations with most cycles ({} of {})\n  {:>7}  {:<22}{:>10}{:>10}  {}\n", slowest.size(),
                      report.run.operations.size(), "command", "operation", "start", "cycles", "bound by");
  for (const auto& o : slowest)
    text +=
        fmt::format("  {:>7}  {:<22}{:>10}{:>10}  {}\n", o.command_index, o.name, o.start, o.end - o.start, o.bound);
  return text;
}

}  // namespace macaw::report
