#include <nlohmann/json.hpp>

#include "workflow/report/embedded_html.hpp"
#include "workflow/report/render.hpp"

namespace macaw::report {
namespace {

nlohmann::json operation_json(const trace::Operation& o) {
  nlohmann::json busy = nlohmann::json::object(), memory = nlohmann::json::array();
  for (const auto& [unit, cycles] : o.busy)
    if (cycles != 0) busy[unit] = cycles;
  for (const auto& m : o.memory)
    memory.push_back({{"purpose", m.purpose},
                      {"region", m.region},
                      {"bytes", m.bytes},
                      {"first", m.first},
                      {"last", m.last},
                      {"write", m.write}});
  return {{"name", o.name},   {"source", o.source}, {"command", o.command}, {"start", o.start}, {"end", o.end},
          {"bound", o.bound}, {"macs", o.macs},     {"busy", busy},         {"memory", memory}};
}

void replace(std::string& text, std::string_view mark, const std::string& by) {
  const auto at = text.find(mark);
  text.replace(at, mark.size(), by);
}

}  // namespace

std::string render_html(const trace::SavedRun& run) {
  nlohmann::json json{{"network", run.network},
                      {"accelerator", run.accelerator->name},
                      {"system", run.system},
                      {"memory_mode", run.memory_mode},
                      {"clock_hz", run.clock_hz},
                      {"macs_per_cycle", run.accelerator->macs},
                      {"bytes_per_cycle", run.bytes_per_cycle},
                      {"region_side", run.region_side},
                      {"sides", {run.side_name(0), run.side_name(1)}},
                      {"cycles", run.cycles},
                      {"pmu", run.pmu},
                      {"accuracy", run.accuracy()},
                      {"operations", nlohmann::json::array()}};
  for (const auto& o : run.operations) json["operations"].push_back(operation_json(o));
  // A name in the data must not end the script element that holds it, nor open a comment in it.
  auto data = json.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
  for (std::size_t at = 0; (at = data.find('<', at)) != std::string::npos; at += 6) data.replace(at, 1, "\\u003c");
  std::string page(kReportPage);
  replace(page, "@SCRIPT@", std::string(kReportScript));
  replace(page, "@RUN@", data);
  return page;
}

}  // namespace macaw::report
