#include "app/value_names.hpp"

#include <macaw/npu/accelerator.hpp>

#include <algorithm>

#include "workflow/energy/table.hpp"
#include "workflow/list/lists.hpp"

namespace macaw::app {
namespace {

struct ValueName {
  std::string_view option, value;
};
constexpr ValueName kValueNames[] = {
    {"accelerator-config", "ACCELERATOR"},
    {"npu", "ACCELERATOR"},
    {"system", "SYSTEM"},
    {"energy", "TABLE"},
    {"memory-mode", "MODE"},
    {"clock", "HZ"},
    {"before", "MS"},
    {"after", "MS"},
    {"pmu", "EVENTS"},
    {"traffic", "SIDE=SHARE"},
    {"C", "NAME=VALUE"},
    {"cpu", "NAME=VALUE"},
    {"parameter", "NAME=VALUE"},
    {"variable", "NAME=FILE"},
    {"input", "[NAME=]FILE"},
    {"sequence", "SETS"},
    {"feedback", "OUT=IN"},
    {"initial", "IN=FILE"},
    {"count", "IN=FIRST"},
    {"stop", "OUT=VALUE"},
    {"score", "OUT=FILE"},
    {"scale", "PORT=SCALE"},
    {"range", "IN=LEAST:MOST"},
    {"data", "FILE@ADDRESS"},
    {"dump", "FILE@ADDRESS,N"},
    {"output-dir", "DIR"},
    {"dump-tensors", "DIR"},
    {"tensors", "DIR"},
    {"reproduce", "DIR"},
    {"semihosting-folder", "DIR"},
    {"report-dir", "DIR"},
    {"output", "FILE"},
    {"html", "FILE"},
    {"csv", "FILE"},
    {"json", "FILE"},
    {"markdown", "FILE"},
    {"junit", "FILE"},
    {"benchmark", "FILE"},
    {"code-quality", "FILE"},
    {"perfetto", "FILE"},
    {"speedscope", "FILE"},
    {"graph-json", "FILE"},
    {"node-data", "FILE"},
    {"pmu-trace", "FILE"},
    {"etdump", "FILE"},
    {"vcd", "FILE"},
    {"graph", "FILE"},
    {"config", "FILE"},
    {"labels", "FILE"},
    {"preprocess", "FILE"},
    {"input-scale", "SCALE[,ZERO]"},
    {"debug-db", "FILE"},
    {"uart-log", "FILE"},
    {"uart-input", "FILE"},
    {"qemu", "FILE"},
    {"custom-op-lib", "FILE"},
    {"convert", "FILE"},
    {"config-file", "FILE"},
    {"check", "COMMAND"},
    {"method", "NAME"},
    {"function", "NAME"},
    {"shard", "K/N"},
    {"fail-above", "PERCENT"},
};

}  // namespace

std::string_view value_name_of(std::string_view option) {
  const auto* found = std::ranges::find(kValueNames, option, &ValueName::option);
  return found == std::end(kValueNames) ? "TEXT" : found->value;
}

std::vector<std::string> known_values(std::string_view value_name) {
  if (value_name == "TABLE") return energy::table_names();
  std::vector<std::string> names;
  if (value_name == "SYSTEM")
    if (const auto rows = list::systems())
      for (const auto& row : *rows) names.push_back(row.at("name"));
  if (value_name == "ACCELERATOR")
    for (const auto& accelerator : npu::accelerators()) names.emplace_back(accelerator.name);
  return names;
}

}  // namespace macaw::app
