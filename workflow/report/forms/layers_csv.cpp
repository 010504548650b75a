#include <fmt/format.h>

#include <algorithm>

#include "workflow/report/forms/access_cycles.hpp"
#include "workflow/report/forms/csv_text.hpp"
#include "workflow/report/forms/forms.hpp"

namespace macaw::report {
namespace {

using npu::OperationTiming;
using npu::RunRecord;

/// The run with the operators that Vela scheduled in place of those of the source, where they are known.
RunRecord by_schedule(RunRecord run) {
  for (auto& o : run.operations)
    if (o.scheduled) o.source = fmt::format("{} {}", o.scheduled->id, o.source);
  return run;
}

std::string six_places(std::uint64_t part, double whole) { return fmt::format("{:.6f}", percent(part, whole)); }

std::string count(std::uint64_t value) { return fmt::format("{}", value); }

/// Cycles that the MAC array or the output unit computed, whichever was longer, operation by operation.
std::uint64_t computing(const RunRecord& run, const Layer& layer) {
  std::uint64_t sum = 0;
  for (const auto i : layer.operations)
    sum += std::max(busy_cycles(run.operations[i], "mac"), busy_cycles(run.operations[i], "output_unit"));
  return sum;
}

struct Row {
  const RunRecord& run;
  const Summary& summary;
  const Layer& layer;
  /// The operation that names the row: DMA jobs go before the one that they are for.
  [[nodiscard]] const OperationTiming& operation() const { return run.operations[layer.operations.back()]; }
  /// The legacy back end's databases name no scheduled operators: then the source's, behind the number.
  [[nodiscard]] std::string name() const {
    if (!operation().scheduled) return layer.name;
    const auto& scheduled = *operation().scheduled;
    return scheduled.name.empty() ? layer.name.substr(layer.name.find(' ') + 1) : scheduled.name;
  }
  [[nodiscard]] std::string access(std::string_view area) const {
    const int side = side_of_area(area, run.accelerator->family);
    return side < 0 ? "0" : count(access_cycles(run, layer, side));
  }
};

struct LayerCsvColumn {
  std::string_view name;
  std::string (*value)(const Row& row);
};
constexpr LayerCsvColumn kLayerCsvColumns[] = {
    {"Original Operator", [](const Row& r) { return csv_cell(r.layer.kind); }},
    {"NNG Operator",
     [](const Row& r) { return csv_cell(r.operation().scheduled ? r.operation().scheduled->kind : r.layer.kind); }},
    {"Target", [](const Row&) { return std::string("NPU"); }},
    {"Staging Usage", [](const Row& r) { return count(r.layer.alive[0]); }},
    {"Peak% (Staging)",
     [](const Row& r) { return six_places(r.layer.alive[0], static_cast<double>(r.summary.memory[0].peak)); }},
    {"Op Cycles", [](const Row& r) { return count(r.layer.exclusive); }},
    {"Network% (cycles)",
     [](const Row& r) { return six_places(r.layer.exclusive, static_cast<double>(r.run.cycles)); }},
    {"NPU", [](const Row& r) { return count(computing(r.run, r.layer)); }},
    {"SRAM AC", [](const Row& r) { return r.access("sram"); }},
    {"DRAM AC", [](const Row& r) { return r.access("dram"); }},
    {"OnFlash AC", [](const Row& r) { return r.access("on_chip_flash"); }},
    {"OffFlash AC", [](const Row& r) { return r.access("off_chip_flash"); }},
    {"MAC Count", [](const Row& r) { return count(r.layer.macs); }},
    {"Network% (MAC)", [](const Row& r) { return six_places(r.layer.macs, static_cast<double>(r.run.macs())); }},
    {"Util% (MAC)",
     [](const Row& r) {
       return six_places(r.layer.macs, static_cast<double>(r.layer.exclusive) * r.run.accelerator->macs);
     }},
    {"Name", [](const Row& r) { return csv_cell(r.name()); }},
};

}  // namespace

std::string render_layers_csv(const RunRecord& given) {
  const auto run = by_schedule(given);
  const auto summary = summarise(run);
  std::string text;
  for (const auto& column : kLayerCsvColumns) text += fmt::format("{}{}", text.empty() ? "" : ",", column.name);
  text += '\n';
  for (const auto& layer : summary.layers) {
    std::string line;
    for (const auto& column : kLayerCsvColumns)
      line +=
          fmt::format("{}{}", &column == std::begin(kLayerCsvColumns) ? "" : ",", column.value({run, summary, layer}));
    text += line + '\n';
  }
  return text;
}

}  // namespace macaw::report
