#include "workflow/calibrate/measurements.hpp"

#include <fmt/format.h>

#include <cmath>
#include <set>

#include "base/file.hpp"
#include "sim/isa/pmu_events.hpp"
#include "workflow/calibrate/json_members.hpp"

namespace macaw::calibrate {
namespace {

using Json = nlohmann::json;

constexpr int kSchemaVersion = 1;
constexpr double kMostCycles = 1e15;  // and every integer below it is a double
constexpr std::string_view kActive = "NPU_ACTIVE", kTotal = "NPU_TOTAL";

class Reader {
 public:
  explicit Reader(const std::filesystem::path& file) : file_(file) {}

  Result<Measurements> read(const Json& json) {
    MACAW_ASSIGN(auto members, JsonMembers::of(json, "", file_));
    const auto* version = members.take("schema_version");
    if (!version || *version != kSchemaVersion)
      return members.error("schema_version", fmt::format("must be {}", kSchemaVersion));
    MACAW_CHECK(each(members, "measurements", [&](const Json& entry, const std::string& path) -> Result<void> {
      MACAW_ASSIGN(auto cell, read_cell(entry, path));
      result_.cells.push_back(std::move(cell));
      return {};
    }));
    MACAW_CHECK(each(members, "left_out", [&](const Json& entry, const std::string& path) -> Result<void> {
      MACAW_ASSIGN(auto left, JsonMembers::of(entry, path, file_));
      MACAW_ASSIGN(auto id, left.text("id"));
      MACAW_ASSIGN(auto reason, left.text("reason"));
      result_.left_out.push_back({std::move(id), std::move(reason)});
      return left.nothing_else();
    }));
    MACAW_CHECK(members.nothing_else());
    if (result_.cells.empty()) return members.error("measurements", "must list at least one measurement");
    return std::move(result_);
  }

 private:
  template <class F>
  Result<void> each(JsonMembers& members, const char* key, F&& f) {
    const auto* list = members.take(key);
    if (!list) return {};
    if (!list->is_array()) return members.error(key, "must be a list");
    for (std::size_t i = 0; i < list->size(); ++i) MACAW_CHECK(f((*list)[i], fmt::format("{}[{}]", key, i)));
    return {};
  }

  Result<Cell> read_cell(const Json& entry, const std::string& path) {
    MACAW_ASSIGN(auto members, JsonMembers::of(entry, path, file_));
    Cell cell;
    MACAW_ASSIGN(cell.id, members.text("id"));
    if (!ids_.insert(cell.id).second) return members.error("id", fmt::format("'{}' is given twice", cell.id));
    MACAW_ASSIGN(cell.group, members.text("group"));
    MACAW_ASSIGN(cell.network, members.text("network"));
    MACAW_ASSIGN(const auto accelerator, members.text("accelerator"));
    cell.accelerator = npu::find_accelerator(accelerator);
    if (!cell.accelerator)
      return members.error("accelerator",
                           fmt::format("unknown accelerator '{}'; 'macaw list accelerators' shows them", accelerator));
    MACAW_ASSIGN(cell.describe, members.text_or("case", fmt::format("{}, {}", accelerator, cell.network)));
    MACAW_ASSIGN(const auto artifact, members.text("artifact"));
    cell.artifact = file_.parent_path() / artifact;
    MACAW_CHECK(read_setup(members, cell));
    MACAW_ASSIGN(const auto set, members.text("set"));
    if (set != "fit" && set != "unseen") return members.error("set", "must be fit or unseen");
    cell.fitted = set == "fit";
    MACAW_ASSIGN(cell.error_bar, members.boolean_or("error_bar", false));
    for (auto& [key, files] : {std::pair{"inputs", &cell.inputs}, {"outputs", &cell.outputs}}) {
      MACAW_ASSIGN(const auto names, members.texts(key));
      for (const auto& name : names) files->push_back(file_.parent_path() / name);
    }
    MACAW_CHECK(read_counters(members, cell));
    if (cell.fitted && !cell.cycles) return members.error("set", "is fit, but there are no cycles to fit on");
    if (cell.error_bar && !cell.cycles) return members.error("error_bar", "is true, but there are no cycles");
    MACAW_CHECK(members.nothing_else());
    return cell;
  }

  Result<void> read_setup(JsonMembers& members, Cell& cell) {
    MACAW_ASSIGN(cell.options.system, members.text_or("system", ""));
    MACAW_ASSIGN(cell.options.memory_mode, members.text_or("memory_mode", ""));
    MACAW_ASSIGN(cell.options.timing_adapter, members.boolean_or("timing_adapter", true));
    const auto* overrides = members.take("overrides");
    if (!overrides) return {};
    const auto path = members.path_of("overrides");
    MACAW_ASSIGN(auto values, JsonMembers::of(*overrides, path, file_));
    for (const auto& [name, value] : overrides->items()) {
      MACAW_ASSIGN(const auto number, values.number(name, -kMostCycles, kMostCycles));
      cell.options.params.emplace_back(name, *number);
    }
    return {};
  }

  Result<void> read_counters(JsonMembers& members, Cell& cell) {
    const auto path = members.path_of("counters");
    const auto* counters = members.take("counters");
    if (!counters) return members.error("counters", "is missing");
    MACAW_ASSIGN(auto named, JsonMembers::of(*counters, path, file_));
    if (counters->empty()) return members.error("counters", "must have at least one counter");
    for (const auto& [name, json] : counters->items()) {
      MACAW_ASSIGN(auto fields, JsonMembers::of(json, path + "." + name, file_));
      MACAW_ASSIGN(const auto value, fields.number("value", 0, kMostCycles));
      if (!value) return fields.error("value", "is missing");
      MACAW_ASSIGN(const auto resolution, fields.number("resolution", 0, *value));
      MACAW_ASSIGN(const auto tolerance, fields.number("tolerance", 0, 1));
      MACAW_CHECK(fields.nothing_else());
      if (name == kActive || name == kTotal) {
        if (cell.cycles) return named.error(name, "stands beside other cycles: give NPU_ACTIVE or NPU_TOTAL");
        if (*value < 1) return fields.error("value", "must be at least 1");
        cell.cycles = {*value, resolution.value_or(0), name == kTotal, tolerance};
        continue;
      }
      if (!npu::find_pmu_event(cell.accelerator->family, name))
        return named.error(name, fmt::format("is no PMU event of {}", cell.accelerator->name));
      if (*value != std::floor(*value)) return fields.error("value", "must be an integer");
      cell.expected.push_back(
          {name, static_cast<std::uint64_t>(*value), resolution.value_or(0), tolerance.value_or(0)});
    }
    return {};
  }

  std::filesystem::path file_;
  std::set<std::string> ids_;
  Measurements result_;
};

}  // namespace

Result<Measurements> parse_measurements(std::string_view text, const std::filesystem::path& name) {
  MACAW_ASSIGN(const auto json, parse_strict_json(text, name));
  return Reader(name).read(json);
}

Result<Measurements> load_measurements(const std::filesystem::path& file) {
  MACAW_ASSIGN(const auto bytes, io::read_file(file));
  return parse_measurements({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, file);
}

}  // namespace macaw::calibrate
