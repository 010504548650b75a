#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/command.hpp"
#include "app/operator_table.hpp"
#include "reference/op/def.hpp"
#include "sim/isa/command_table.hpp"
#include "sim/isa/pmu_events.hpp"
#include "sim/timing/params.hpp"
#include "sim/timing/system_config.hpp"

namespace macaw::app {
namespace {

using Json = nlohmann::ordered_json;

/// One object per row, all with the same keys; the keys head the columns of the table.
using Rows = std::vector<Json>;

Json names_of(npu::FamilySet set) {
  Json names = Json::array();
  for (const auto family : {npu::Family::kU55, npu::Family::kU65, npu::Family::kU85})
    if (set & npu::family_set(family)) names.push_back(std::string(to_string(family)));
  return names;
}

std::string extents(const npu::Hwc& hwc) { return fmt::format("{}x{}x{}", hwc.h, hwc.w, hwc.c); }

Result<Rows> list_accelerators() {
  Rows rows;
  for (const auto& a : npu::accelerators()) {
    Json ublocks = Json::array({extents(a.ofm_ublock)});
    for (const auto& ublock : a.ofm_ublocks)
      if (ublock != npu::Hwc{} && ublock != a.ofm_ublock) ublocks.push_back(extents(ublock));
    rows.push_back({{"name", std::string(a.name)},
                    {"family", std::string(to_string(a.family))},
                    {"macs", a.macs},
                    {"cores", a.cores},
                    {"ofm_ublocks", std::move(ublocks)},
                    {"weight_decoders", a.weight_decoders},
                    {"shram_kib", a.shram_banks},
                    {"beat_bytes", a.beat_bytes},
                    {"ports", Json::array({a.ports0, a.ports1})},
                    {"config", fmt::format("{:#010x}", a.config_word)}});
  }
  return rows;
}

Result<Rows> list_commands() {
  Rows rows;
  for (const auto& row : npu::commands()) {
    Json fields = Json::array();
    for (const auto& field : row.fields())
      fields.push_back(
          fmt::format("{}{}[{}:{}]", field.name, field.word ? " payload" : "", field.lsb + field.width - 1, field.lsb));
    rows.push_back({{"name", std::string(row.name)},
                    {"npu", names_of(row.families)},
                    {"kind", row.kind == npu::CommandKind::cmd0 ? "cmd0" : "cmd1"},
                    {"opcode", fmt::format("{:#05x}", row.opcode)},
                    {"fields", std::move(fields)}});
  }
  return rows;
}

Result<Rows> list_events() {
  Rows rows;
  for (const auto& row : npu::pmu_events()) {
    const bool modelled = !row.meaning.empty();
    rows.push_back({{"number", row.number},
                    {"name", row.name},
                    {"npu", names_of(row.families)},
                    {"modelled", names_of(modelled ? row.families : npu::FamilySet{0})},
                    {"meaning", modelled ? row.meaning : "not modelled"}});
  }
  return rows;
}

Result<Rows> list_systems() {
  Rows rows;
  for (const auto& name : npu::system_config_names()) {
    MACAW_ASSIGN(const auto system, npu::load_system_config(name));
    Json modes = Json::array();
    for (const auto& mode : system.modes) modes.push_back(mode.name);
    rows.push_back({{"name", name},
                    {"clock_hz", system.clock_hz},
                    {"memory_modes", std::move(modes)},
                    {"accelerators", system.accelerators},
                    {"confidence", system.confidence},
                    {"description", system.description},
                    {"source", system.source},
                    {"checked_against", system.checked_against}});
  }
  return rows;
}

Result<Rows> list_params() {
  Rows rows;
  for (const auto& param : npu::all_params())
    rows.push_back({{"name", std::string(param.name)},
                    {"unit", std::string(param.unit)},
                    {"confidence", std::string(to_string(param.confidence))},
                    {"source", std::string(param.source)},
                    {"text", std::string(param.text)}});
  return rows;
}

Result<Rows> list_ops() {
  Rows rows;
  for (const auto* definition : tosa::definitions()) {
    std::size_t implemented = 0;
    Json types = Json::array();
    for (const auto& row : definition->rows) {
      std::string text;
      for (std::size_t i = 0; i < definition->type_variables.size() && i < row.types.size(); ++i)
        if (row.types[i] != tosa::kNoType)
          text += fmt::format("{}{}={}", i ? " " : "", definition->type_variables[i], to_string(row.types[i]));
      types.push_back(fmt::format("{} ({}, since 1.{})", text, to_string(row.support), row.since_minor));
      implemented += row.kernel != nullptr;
    }
    rows.push_back({{"name", std::string(to_string(definition->op))},
                    {"type_rows", definition->rows.size()},
                    {"implemented", implemented},
                    {"types", std::move(types)}});
  }
  return rows;
}

struct Kind {
  const char* name;
  const char* text;
  Result<Rows> (*list)();
};
constexpr Kind kKinds[] = {
    {"accelerators", "NPU configurations", list_accelerators},
    {"commands", "the command set", list_commands},
    {"events", "events of the performance counters", list_events},
    {"ops", "TOSA operators and the types they take", list_ops},
    {"params", "constants of the timing model", list_params},
    {"systems", "memories around the NPU", list_systems},
};

std::string cell(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_array()) return value.dump();
  std::string text;
  for (const auto& element : value) text += (text.empty() ? "" : ", ") + cell(element);
  return text;
}

void print_table(const Rows& rows) {
  if (rows.empty()) return;
  std::vector<std::size_t> widths;
  for (const auto& [key, value] : rows.front().items()) widths.push_back(key.size());
  for (const auto& row : rows) {
    std::size_t i = 0;
    for (const auto& [key, value] : row.items()) {
      widths[i] = std::max(widths[i], cell(value).size());
      ++i;
    }
  }
  const auto print_line = [&](const auto& text_of, const Json& row) {
    std::string line;
    std::size_t i = 0;
    for (const auto& [key, value] : row.items()) {
      const bool last = i + 1 == widths.size();
      line += last ? text_of(key, value) : fmt::format("{:<{}}  ", text_of(key, value), widths[i]);
      ++i;
    }
    fmt::print("{}\n", std::string_view(line).substr(0, line.find_last_not_of(' ') + 1));
  };
  print_line([](const std::string& key, const Json&) { return key; }, rows.front());
  for (const auto& row : rows) print_line([](const std::string&, const Json& value) { return cell(value); }, row);
}

int run(const std::string& name, bool json) {
  const auto kind = std::ranges::find(kKinds, name, &Kind::name);
  const auto rows = kind->list();
  if (!rows) return report_error(rows.error());
  if (json) fmt::print("{}\n", Json(*rows).dump(1));
  else print_table(*rows);
  return kOk;
}

}  // namespace

void add_list(Command app, int& exit_code) {
  auto command = app.add_subcommand("list", "List what Macaw knows");
  command.require_subcommand();
  command.footer("Example: macaw list accelerators --json");
  for (const auto& kind : kKinds) {
    auto list = command.add_subcommand(kind.name, kind.text);
    auto json = std::make_shared<bool>(false);
    list.add_flag("--json", *json, "print JSON");
    list.callback([name = std::string(kind.name), json, &exit_code] { exit_code = run(name, *json); });
    if (std::string_view(kind.name) == "ops")
      list.add_action(
              "--markdown", [] { fmt::print("{}", operator_table()); }, "print the support table of docs/OPERATORS.md")
          .excludes("--json");
  }
}

}  // namespace macaw::app
