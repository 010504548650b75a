#include "workflow/list/lists.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "sim/config/params.hpp"
#include "sim/config/system_config.hpp"
#include "sim/isa/command_table.hpp"
#include "sim/isa/pmu_events.hpp"

namespace macaw::list {
namespace {

using Json = nlohmann::ordered_json;

Json names_of(npu::FamilySet set) {
  Json names = Json::array();
  for (const auto& family : npu::all_families())
    if (set & npu::family_set(family.family)) names.push_back(std::string(family.name));
  return names;
}

std::string extents(const npu::Hwc& hwc) { return fmt::format("{}x{}x{}", hwc.h, hwc.w, hwc.c); }

}  // namespace

Result<Rows> accelerators() {
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

Result<Rows> commands() {
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

Result<Rows> events() {
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

Result<Rows> params() {
  Rows rows;
  for (const auto& param : npu::all_params())
    rows.push_back({{"name", std::string(param.name)},
                    {"unit", std::string(param.unit)},
                    {"confidence", std::string(to_string(param.confidence))},
                    {"source", std::string(param.source)},
                    {"text", std::string(param.text)}});
  return rows;
}

Result<Rows> systems() {
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

}  // namespace macaw::list
