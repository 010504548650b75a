#include "workflow/report/run_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/readable_number.hpp"
#include "base/terminal.hpp"
#include "sim/config/operation_intervals.hpp"
#include "workflow/report/compute.hpp"
#include "workflow/report/inference.hpp"
#include "workflow/report/render.hpp"
#include "workflow/report/summary_json.hpp"
#include "workflow/run/record_json.hpp"

namespace macaw::report {
namespace {

constexpr std::size_t kLayersShown = 15;

std::string advice_text(const npu::RunRecord& record) {
  if (!record.advice) return {};
  if (record.advice->empty()) return io::wrap(memory_verdict(record), io::terminal_width()) + '\n';
  std::string text = io::wrap(memory_verdict(record), io::terminal_width()) +
                     "\nWhat-if (each re-run in timing mode with one change):\n";
  for (const auto& advice : *record.advice) {
    const auto gain = record.cycles - advice.cycles;
    text += fmt::format("  {}: saves {} cycles ({:.1f} %)\n    {}\n", advice.change, io::with_thousands(gain),
                        100 * static_cast<double>(gain) / static_cast<double>(record.cycles), advice.command);
  }
  return text;
}

/// Members that are made from the others.
void add_made(nlohmann::json& json, const npu::RunRecord& record) {
  // An error bar says that networks were measured in the very configuration.
  const bool measured = record.timing_adapter && record.error_bar;
  for (std::size_t i = 0; i < record.operations.size(); ++i) {
    auto& operation = json["operations"][i];
    const std::uint64_t cycles = record.operations[i].exclusive.cycles();
    operation["exclusive"] = cycles;
    if (!measured) continue;
    if (const auto interval = npu::operation_interval(record.accelerator->name, record.operations[i].name, cycles))
      operation["cycles_interval"] = run::json_of(*interval);
  }
  for (std::size_t i = 0; record.advice && i < record.advice->size(); ++i)
    json["advice"][i]["gain"] = record.cycles - (*record.advice)[i].cycles;
  json.update(summary_json(record, summarise(record)));
}

std::string prediction_text(const npu::RunRecord& record) {
  auto text = fmt::format("Predicted: {} cycles ({:.3f} ms at {:.0f} MHz); ", io::with_thousands(record.cycles),
                          1e3 * record.seconds(), record.clock_hz / 1e6);
  if (const auto& interval = record.interval)
    text += fmt::format("{:.0f} % interval {} to {} (basis: {})", 100 * interval->coverage,
                        io::with_thousands(interval->low), io::with_thousands(interval->high), interval->basis);
  else text += fmt::format("no interval: {}", record.no_interval);
  return io::wrap(text, io::terminal_width(), 2) + "\n";
}

std::string counters_text(const npu::RunRecord& record) {
  std::string text;
  for (const auto& counter : record.counters)
    text += fmt::format("  {:<46}{:>14}{}\n", fmt::format("{} ({})", counter.event, counter.number),
                        counter.value ? io::with_thousands(*counter.value) : "not modelled",
                        counter.overflow ? " (overflow)" : "");
  return text;
}

std::string host_text(const npu::RunRecord& record, const npu::Artifact& artifact) {
  std::string text;
  const std::string_view how = record.inference ? "on the CPU" : "on the CPU, not included in the time";
  const auto hosts = npu::host_steps(artifact);
  auto host = hosts.begin();
  for (const auto& step : artifact.steps)
    if (std::holds_alternative<npu::HostOperator>(step)) {
      text += fmt::format("  {}: {} (operator {}), {} elements\n", how, host->name, host->index, host->elements);
      ++host;
    } else if (const auto* control = std::get_if<npu::ControlStep>(&step); control && !control->name.empty()) {
      text += fmt::format("  {}: {}\n", how, control->name);
    }
  return text;
}

std::string sequence_text(const npu::Sequence& sequence) {
  auto text = fmt::format("sequence of {} step{}\n", sequence.steps, sequence.steps == 1 ? "" : "s");
  if (const auto& cycles = sequence.cycles)
    text += fmt::format("Predicted cycles per step: {} to {}, median {}, {:+.1f} with each step\n",
                        io::with_thousands(cycles->min), io::with_thousands(cycles->max),
                        io::with_thousands(cycles->median), cycles->trend);
  if (sequence.steps_per_second)
    text += fmt::format("Predicted: {:.2f} steps per second\n", *sequence.steps_per_second);
  else if (sequence.cycles) text += "steps per second: unknown, as operators on the CPU have no known cost\n";
  if (sequence.host_operators != 0)
    text += fmt::format("{} operators on the CPU in each step\n", sequence.host_operators);
  if (const auto& energy = sequence.energy) {
    text += fmt::format("{:.3g} to {:.3g} J for each step\n", energy->low, energy->high);
    if (!energy->left_out.empty())
      text += fmt::format("  not covered by the table: {}\n", fmt::join(energy->left_out, "; "));
  }
  if (sequence.score) text += npu::to_string(*sequence.score) + "\n";
  return text;
}

}  // namespace

nlohmann::json to_json(const npu::RunRecord& record) {
  auto json = run::record_json(record);
  if (record.mode != npu::RunMode::kFunctional) add_made(json, record);
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
  if (record.sequence) text += sequence_text(*record.sequence);
  if (!timed) return text;

  const auto summary = summarise(record);
  text += prediction_text(record);
  if (record.inference) text += inference_text(*record.inference);
  text += counters_text(record);
  text += layer_table(record, summary, kLayersShown);
  text += bounds_text(record, summary);
  return text + memory_text(record, summary, sram_size) + advice_text(record);
}

}  // namespace macaw::report
