#include <nlohmann/json.hpp>

#include "base/json_text.hpp"
#include "workflow/report/forms/forms.hpp"

namespace macaw::report {

std::string render_speedscope(const npu::RunRecord& run, const Summary& summary) {
  using Json = nlohmann::json;
  Json frames = Json::array(), samples = Json::array(), weights = Json::array();
  for (const auto& layer : summary.layers) frames.push_back({{"name", layer.name}});
  for (std::size_t i = 0; i < run.operations.size(); ++i) {
    const auto& o = run.operations[i];
    if (o.exclusive.cycles() == 0) continue;
    samples.push_back({summary.layer_of[i], frames.size()});
    frames.push_back({{"name", o.name + ", " + bound_of(o).to_string()}, {"line", o.command}});
    weights.push_back(o.exclusive.cycles());
  }
  const Json json{{"$schema", "https://www.speedscope.app/file-format-schema.json"},
                  {"exporter", "macaw"},
                  {"name", run.network},
                  {"shared", {{"frames", frames}}},
                  {"profiles",
                   {{{"type", "sampled"},
                     {"name", run.network + " on " + std::string(run.accelerator->name)},
                     {"unit", "none"},
                     {"startValue", 0},
                     {"endValue", run.cycles},
                     {"samples", samples},
                     {"weights", weights}}}}};
  return io::json_text(json) + "\n";
}

}  // namespace macaw::report
