#include "workflow/report/setup_json.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "sim/config/setup.hpp"

namespace macaw::report {
namespace {

using Json = nlohmann::json;

constexpr const char* kUserSource = "-C";

Json number(double value) {
  if (value == std::floor(value) && std::abs(value) < 1e15) return static_cast<std::int64_t>(value);
  return value;
}

bool is_overridden(const npu::Setup& setup, const std::string& name) {
  return std::ranges::find(setup.overridden, name) != setup.overridden.end();
}

Json memory_json(const npu::Setup& setup, std::size_t side) {
  Json json = Json::object();
  for (const auto& field : npu::memory_fields()) {
    const auto name = fmt::format("axi{}.{}", side, field.name);
    json[std::string(field.name)] = {{"value", number(field.get(setup.system.memory[side]))},
                                     {"unit", std::string(field.unit)},
                                     {"source", is_overridden(setup, name) ? kUserSource : setup.memory_source}};
  }
  if (const auto& memory = setup.system.memory[side]; !memory.engine.empty()) {
    json["engine"] = {{"value", memory.engine}, {"source", setup.memory_source}};
    json["engine_setup"] = {{"value", memory.engine_setup}, {"source", setup.memory_source}};
  }
  json["burst_bytes"] = {
      {"value", setup.burst_bytes[side]},
      {"unit", "bytes"},
      {"source", is_overridden(setup, fmt::format("axi{}.burst_bytes", side)) ? kUserSource : "NPU"}};
  return json;
}

/// Those that were set.
Json addresses_json(const npu::Setup& setup) {
  Json json = Json::object();
  for (std::size_t i = 0; i < setup.addresses.size(); ++i)
    if (const auto& address = setup.addresses[i])
      json[i == 0 ? "stream" : fmt::format("region{}", i - 1)] = {{"value", *address}, {"source", kUserSource}};
  return json;
}

Json params_json(const npu::Setup& setup) {
  Json json = Json::object();
  for (const auto& info : npu::all_params()) {
    const double value = setup.params.*info.member;
    if (std::isnan(value)) continue;
    const bool own = is_overridden(setup, std::string(info.name));
    json[std::string(info.name)] = {{"value", number(value)},
                                    {"unit", std::string(info.unit)},
                                    {"source", own ? kUserSource : std::string(info.source)},
                                    {"confidence", own ? "user" : std::string(to_string(info.confidence))}};
  }
  return json;
}

}  // namespace

Result<Json> setup_json(const npu::Accelerator& accelerator, const npu::TimedOptions& options) {
  MACAW_ASSIGN(const auto setup, npu::resolve_setup(accelerator, npu::setup_request(options)));
  return Json{{"accelerator", std::string(accelerator.name)},
              {"system",
               {{"name", setup.system.name},
                {"source", setup.system.source},
                {"clock_hz", setup.system.clock_hz},
                {"clock_source", is_overridden(setup, "clock_hz") ? kUserSource : "system " + setup.system.name}}},
              {"memory_mode",
               {{"name", setup.mode.name},
                {"source", setup.mode_source},
                {"qconfig", setup.mode.qconfig},
                {"regioncfg", setup.mode.regioncfg}}},
              {"timing_adapter", setup.timing_adapter ? "on" : "off"},
              {"axi0", memory_json(setup, 0)},
              {"axi1", memory_json(setup, 1)},
              {"addresses", addresses_json(setup)},
              {"params", params_json(setup)}};
}

}  // namespace macaw::report
