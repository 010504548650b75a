#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "workflow/report/forms/access_cycles.hpp"
#include "workflow/report/forms/csv_text.hpp"
#include "workflow/report/forms/forms.hpp"

namespace macaw::report {
namespace {

constexpr std::array<std::string_view, 4> kAreas = {"sram", "dram", "on_chip_flash", "off_chip_flash"};

bool is_weights(const npu::Movement& m) { return m.purpose == "weights" || m.purpose == "scales"; }

std::uint64_t moved(const npu::RunRecord& run, int side, bool weights, bool write) {
  std::uint64_t sum = 0;
  for (const auto& o : run.operations)
    for (const auto& m : o.memory)
      if (m.write == write && is_weights(m) == weights && run.region_side[static_cast<std::size_t>(m.region)] == side)
        sum += m.bytes;
  return sum;
}

double bandwidth(const npu::RunRecord& run, int side) {
  constexpr double kGiB = 1024.0 * 1024 * 1024;
  return side < 0 ? 0 : run.bytes_per_cycle[static_cast<std::size_t>(side)] * run.clock_hz / kGiB;
}

double tera_operations_per_second(const npu::RunRecord& run) {
  return run.cycles == 0 ? 0 : 2e-12 * static_cast<double>(run.macs()) / run.seconds();
}

/// Data from which a row is made.
struct Run : npu::RunRecord {
  const Summary& summary;
};

/// Memory needed on one side, in KiB like Vela's.
std::string kibibytes(const Run& run, int side) {
  const auto reach = side < 0 ? 0 : run.summary.memory[static_cast<std::size_t>(side)].reach;
  return fmt::format("{:.6f}", static_cast<double>(reach) / 1024);
}

/// A column: its name and its value for a run. Where the name has "{}", there is one for every memory area, whose side
/// of the NPU is `side` (-1: none).
struct CsvColumn {
  std::string_view name;
  std::string (*value)(const Run& run, int side);
  [[nodiscard]] bool per_area() const { return name.find("{}") != name.npos; }
};

std::string nothing(const Run&, int) { return {}; }

/// Weights of all layers: their number, a byte each before encoding, or the bytes of their streams.
std::string all_weights(const Run& run, std::uint64_t npu::WeightFigures::*figure) {
  std::uint64_t sum = 0;
  for (const auto& layer : run.summary.layers)
    if (layer.weights) sum += *layer.weights.*figure;
  return fmt::format("{}", sum);
}

/// Vela's name for the memory area on a side.
std::string_view area_name(const Run& run, int side) {
  if (side == 0) return "SRAM";
  return npu::traits(run.accelerator->family).external_area == "dram" ? "DRAM" : "Off-chip Flash";
}

/// The area that operations move most bytes of a kind from or to; empty: none moves any.
std::string storage_area(const Run& run, bool weights) {
  std::array<std::uint64_t, 2> bytes{};
  for (const int side : {0, 1})
    bytes[static_cast<std::size_t>(side)] = moved(run, side, weights, false) + moved(run, side, weights, true);
  if (bytes[0] + bytes[1] == 0) return {};
  return std::string(area_name(run, bytes[0] >= bytes[1] ? 0 : 1));
}

/// Cycles that units moved data over a side, summed over operations.
std::string access(const Run& run, int side) {
  std::uint64_t sum = 0;
  for (const auto& layer : run.summary.layers) sum += side < 0 ? 0 : access_cycles(run, layer, side);
  return fmt::format("{}", sum);
}

constexpr CsvColumn kCsvColumns[] = {
    {"experiment", [](const Run&, int) { return std::string("default"); }},
    {"network", [](const Run& run, int) { return csv_cell(run.network); }},
    {"accelerator_configuration", [](const Run& run, int) { return std::string(run.accelerator->name); }},
    {"system_config", [](const Run& run, int) { return csv_cell(run.system); }},
    {"memory_mode", [](const Run& run, int) { return csv_cell(run.memory_mode); }},
    {"core_clock", [](const Run& run, int) { return fmt::format("{:.1f}", run.clock_hz); }},
    {"arena_cache_size", nothing},
    {"{}_bandwidth", [](const Run& run, int side) { return fmt::format("{:.6f}", bandwidth(run, side)); }},
    {"weights_storage_area", [](const Run& run, int) { return storage_area(run, true); }},
    {"feature_map_storage_area", [](const Run& run, int) { return storage_area(run, false); }},
    {"inferences_per_second",
     [](const Run& run, int) { return fmt::format("{:.6f}", run.cycles == 0 ? 0 : 1 / run.seconds()); }},
    {"batch_size", [](const Run&, int) { return std::string("1"); }},
    {"inference_time", [](const Run& run, int) { return fmt::format("{:.9f}", run.seconds()); }},
    {"passes_before_fusing", nothing},
    {"passes_after_fusing", [](const Run& run, int) { return fmt::format("{}", run.operations.size()); }},
    {"{}_memory_used", kibibytes},
    {"total_original_weights", [](const Run& run, int) { return all_weights(run, &npu::WeightFigures::count); }},
    {"total_npu_encoded_weights", [](const Run& run, int) { return all_weights(run, &npu::WeightFigures::encoded); }},
    {"{}_feature_map_read_bytes",
     [](const Run& run, int side) { return fmt::format("{}", moved(run, side, false, false)); }},
    {"{}_feature_map_write_bytes",
     [](const Run& run, int side) { return fmt::format("{}", moved(run, side, false, true)); }},
    {"{}_weight_read_bytes", [](const Run& run, int side) { return fmt::format("{}", moved(run, side, true, false)); }},
    {"{}_weight_write_bytes", [](const Run&, int) { return std::string("0"); }},
    {"{}_total_bytes",
     [](const Run& run, int side) {
       return fmt::format(
           "{}", moved(run, side, false, false) + moved(run, side, false, true) + moved(run, side, true, false));
     }},
    {"nn_macs", [](const Run& run, int) { return fmt::format("{}", run.macs()); }},
    {"nn_tops", [](const Run& run, int) { return fmt::format("{:.6f}", tera_operations_per_second(run)); }},
    // Cycles by unit are not additive here; the total is the counter NPU_ACTIVE.
    {"cycles_npu", [](const Run& run, int) { return fmt::format("{}", run.cycles); }},
    {"cycles_{}_access", access},
    {"cycles_total", [](const Run& run, int) { return fmt::format("{}", run.cycles); }},
};

}  // namespace

int side_of_area(std::string_view area, npu::Family family) {
  if (area == "sram") return 0;
  if (area == npu::traits(family).external_area) return 1;
  return -1;
}

std::string render_csv(const npu::RunRecord& saved, const Summary& summary) {
  const Run run{saved, summary};
  std::string names, values;
  const auto add = [&](const std::string& name, const std::string& value) {
    if (!names.empty()) {
      names += ',';
      values += ',';
    }
    names += name;
    values += value;
  };
  const auto* column = std::begin(kCsvColumns);
  while (column != std::end(kCsvColumns)) {
    if (!column->per_area()) {
      add(std::string(column->name), column->value(run, -1));
      ++column;
      continue;
    }
    // Columns of areas that follow each other go area by area.
    const auto* const last =
        std::find_if_not(column, std::end(kCsvColumns), [](const CsvColumn& c) { return c.per_area(); });
    for (const auto area : kAreas)
      for (const auto* c = column; c != last; ++c)
        add(fmt::format(fmt::runtime(c->name), area), c->value(run, side_of_area(area, run.accelerator->family)));
    column = last;
  }
  return names + "\n" + values + "\n";
}

}  // namespace macaw::report
