#include <fmt/format.h>

#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "workflow/report/render.hpp"

namespace macaw::report {
namespace {

constexpr std::array<std::string_view, 4> kAreas = {"sram", "dram", "on_chip_flash", "off_chip_flash"};

/// The area's side of the NPU, or -1 if nothing is there.
int side_of(std::string_view area, npu::Family family) {
  if (area == "sram") return 0;
  if (area == (family == npu::Family::kU55 ? "off_chip_flash" : "dram")) return 1;
  return -1;
}

bool is_weights(const trace::Movement& m) { return m.purpose == "weights" || m.purpose == "scales"; }

std::uint64_t moved(const trace::SavedRun& run, int side, bool weights, bool write) {
  std::uint64_t sum = 0;
  for (const auto& o : run.operations)
    for (const auto& m : o.memory)
      if (m.write == write && is_weights(m) == weights && run.region_side[static_cast<std::size_t>(m.region)] == side)
        sum += m.bytes;
  return sum;
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) out.append(c == '"' ? 2 : 1, c);
  return out + '"';
}

}  // namespace

std::string render_csv(const trace::SavedRun& run) {
  std::vector<std::pair<std::string, std::string>> cells;
  const auto add = [&](std::string name, std::string value = {}) {
    cells.emplace_back(std::move(name), std::move(value));
  };
  const auto family = run.accelerator->family;
  const auto per_area = [&](auto&& f) {
    for (const auto area : kAreas) f(std::string(area), side_of(area, family));
  };

  add("experiment", "default");
  add("network", quoted(run.network));
  add("accelerator_configuration", std::string(run.accelerator->name));
  add("system_config", quoted(run.system));
  add("memory_mode", quoted(run.memory_mode));
  add("core_clock", fmt::format("{:.1f}", run.clock_hz));
  add("arena_cache_size");
  per_area([&](const std::string& area, int side) {
    constexpr double kGiB = 1024.0 * 1024 * 1024;
    const double rate = side < 0 ? 0 : run.bytes_per_cycle[static_cast<std::size_t>(side)] * run.clock_hz / kGiB;
    add(area + "_bandwidth", fmt::format("{:.6f}", rate));
  });
  add("weights_storage_area");
  add("feature_map_storage_area");
  add("inferences_per_second", fmt::format("{:.6f}", run.cycles == 0 ? 0 : 1 / run.seconds()));
  add("batch_size", "1");
  add("inference_time", fmt::format("{:.9f}", run.seconds()));
  add("passes_before_fusing");
  add("passes_after_fusing", fmt::format("{}", run.operations.size()));
  per_area([&](const std::string& area, int) { add(area + "_memory_used"); });
  add("total_original_weights");
  add("total_npu_encoded_weights");
  per_area([&](const std::string& area, int side) {
    const auto maps_read = moved(run, side, false, false), maps_written = moved(run, side, false, true);
    const auto weights_read = moved(run, side, true, false);
    add(area + "_feature_map_read_bytes", fmt::format("{}", maps_read));
    add(area + "_feature_map_write_bytes", fmt::format("{}", maps_written));
    add(area + "_weight_read_bytes", fmt::format("{}", weights_read));
    add(area + "_weight_write_bytes", "0");
    add(area + "_total_bytes", fmt::format("{}", maps_read + maps_written + weights_read));
  });
  add("nn_macs", fmt::format("{}", run.macs()));
  add("nn_tops", fmt::format("{:.6f}", run.cycles == 0 ? 0 : 2e-12 * static_cast<double>(run.macs()) / run.seconds()));
  // Cycles by unit are not additive here; the total is the counter NPU_ACTIVE.
  add("cycles_npu", fmt::format("{}", run.cycles));
  per_area([&](const std::string& area, int) { add("cycles_" + area + "_access"); });
  add("cycles_total", fmt::format("{}", run.cycles));

  std::string names, values;
  for (const auto& [name, value] : cells) {
    names += (names.empty() ? "" : ",") + name;
    values += (&name == &cells.front().first ? "" : ",") + value;
  }
  return names + "\n" + values + "\n";
}

}  // namespace macaw::report
