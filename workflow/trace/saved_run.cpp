#include "workflow/trace/saved_run.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace macaw::trace {
namespace {

using Json = nlohmann::json;
constexpr int kSchemaVersion = 1;

Movement movement(const Json& json, const std::array<int, 8>& sides) {
  Movement m;
  json.at("purpose").get_to(m.purpose);
  json.at("region").get_to(m.region);
  json.at("bytes").get_to(m.bytes);
  json.at("first").get_to(m.first);
  json.at("last").get_to(m.last);
  json.at("write").get_to(m.write);
  if (m.region < 0 || m.region >= static_cast<int>(sides.size()))
    throw Json::other_error::create(501, fmt::format("region {} is not one of 0 to 7", m.region), nullptr);
  return m;
}

Operation operation(const Json& json, const std::array<int, 8>& sides) {
  Operation o;
  json.at("step").get_to(o.step);
  json.at("command").get_to(o.command);
  o.offset = json.value("offset", std::uint64_t{0});
  json.at("name").get_to(o.name);
  o.source = json.value("source", std::string());
  json.at("bound").get_to(o.bound);
  json.at("issued").get_to(o.issued);
  json.at("start").get_to(o.start);
  json.at("end").get_to(o.end);
  if (o.end < o.start) throw Json::other_error::create(501, "an operation ends before it starts", nullptr);
  o.macs = json.value("macs", std::uint64_t{0});
  for (const auto& [unit, cycles] : json.at("busy").items()) o.busy.emplace_back(unit, cycles.get<std::uint64_t>());
  for (const auto& m : json.value("memory", Json::array())) o.memory.push_back(movement(m, sides));
  return o;
}

SavedRun saved_run(const Json& json) {
  SavedRun run;
  json.at("network").get_to(run.network);
  json.at("system").get_to(run.system);
  json.at("memory_mode").get_to(run.memory_mode);
  const auto name = json.at("accelerator").get<std::string>();
  run.accelerator = npu::find_accelerator(name);
  if (run.accelerator == nullptr)
    throw Json::other_error::create(501, fmt::format("accelerator '{}' is not known", name), nullptr);
  json.at("clock_hz").get_to(run.clock_hz);
  if (!(run.clock_hz > 0)) throw Json::other_error::create(501, "clock_hz must be positive", nullptr);
  json.at("bytes_per_cycle").get_to(run.bytes_per_cycle);
  json.at("region_side").get_to(run.region_side);
  for (const int side : run.region_side)
    if (side != 0 && side != 1) throw Json::other_error::create(501, "a side is neither 0 nor 1", nullptr);
  json.at("cycles").get_to(run.cycles);
  if (json.contains("cycles_error"))
    run.cycles_error.emplace(json["cycles_error"].at("mean").get<double>(),
                             json["cycles_error"].at("worst").get<double>());
  json.at("pmu").get_to(run.pmu);
  for (const auto& o : json.at("operations")) run.operations.push_back(operation(o, run.region_side));
  return run;
}

}  // namespace

std::string SavedRun::accuracy() const {
  if (!cycles_error) return "nothing was measured in this configuration";
  return fmt::format("measured networks in this configuration: {:.1f} % off on average, {:.1f} % at most",
                     100 * cycles_error->first, 100 * cycles_error->second);
}

std::uint64_t SavedRun::macs() const {
  std::uint64_t sum = 0;
  for (const auto& o : operations) sum += o.macs;
  return sum;
}

std::string_view SavedRun::side_name(int side) const {
  if (accelerator->family == npu::Family::kU85) return side == 0 ? "sram" : "ext";
  return side == 0 ? "axi0" : "axi1";
}

std::uint64_t SavedRun::bytes(int side, bool write) const {
  std::uint64_t sum = 0;
  for (const auto& o : operations)
    for (const auto& m : o.memory)
      if (m.write == write && region_side[static_cast<std::size_t>(m.region)] == side) sum += m.bytes;
  return sum;
}

Result<SavedRun> parse_saved_run(std::string_view text, const std::string& file) {
  const auto json = Json::parse(text, nullptr, false);
  const auto invalid = [&](const std::string& why) {
    return fail(ErrorCode::kInvalidFile, "not a report of macaw sim: " + why, {.file = file});
  };
  if (json.is_discarded() || !json.is_object()) return invalid("expected a JSON object");
  try {
    if (json.at("schema_version") != kSchemaVersion)
      return invalid(fmt::format("expected schema_version {}", kSchemaVersion));
    if (json.at("mode") == "functional")
      return fail(ErrorCode::kUsage, "a functional run has no cycles to report; run macaw sim with --mode timed",
                  {.file = file});
    return saved_run(json);
  } catch (const Json::exception& e) {
    return invalid(e.what());
  }
}

}  // namespace macaw::trace
