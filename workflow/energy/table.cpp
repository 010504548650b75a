#include "workflow/energy/table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/file.hpp"
#include "base/near_names.hpp"
#include "workflow/energy/accelergy.hpp"
#include "workflow/energy/embedded_tables.hpp"
#include "workflow/run/toml_reader.hpp"

namespace macaw::energy {
namespace {

using run::TomlReader;

Result<std::string> text_of(const std::filesystem::path& file) {
  MACAW_ASSIGN(const auto bytes, io::read_file(file));
  return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

/// Figures of Accelergy's, which are single ones: `error` says how far they may be off, as a part of them.
struct Accelergy {
  std::string file;
  std::map<std::string, double> picojoules;
  double error = 0;
};

Result<double> number(const TomlReader& reader, std::string_view key) {
  const auto value = reader.table[key].value<double>();
  if (!reader.table[key].is_number() || !value || !std::isfinite(*value) || *value < 0)
    return reader.error(key, "must be a number from 0 on");
  return *value;
}

Result<Cost> read_cost(const TomlReader& reader, const Event& event, const std::optional<Accelergy>& accelergy) {
  Cost cost{.event = &event, .picojoules = {}, .source = {}};
  if (reader.table.contains("accelergy")) {
    MACAW_CHECK(reader.only({"accelergy", "each"}));
    MACAW_ASSIGN(const auto action, reader.text("accelergy"));
    if (!accelergy) return reader.error("accelergy", "needs 'accelergy.file' and 'accelergy.error'");
    const auto found = accelergy->picojoules.find(action);
    if (found == accelergy->picojoules.end())
      return reader.error("accelergy", fmt::format("names an action that {} has not", accelergy->file));
    MACAW_ASSIGN(const double each, reader.positive("each", 1));
    const double one = found->second / each;
    cost.picojoules = {one * (1 - accelergy->error), one * (1 + accelergy->error)};
    cost.source = fmt::format("{}, {}", accelergy->file, action);
    return cost;
  }
  MACAW_CHECK(reader.only({"low", "high", "source"}));
  MACAW_ASSIGN(cost.picojoules.low, number(reader, "low"));
  MACAW_ASSIGN(cost.picojoules.high, number(reader, "high"));
  if (!(cost.picojoules.low < cost.picojoules.high)) return reader.error("high", "must be greater than 'low'");
  MACAW_ASSIGN(cost.source, reader.text("source"));
  return cost;
}

Result<Accelergy> read_accelergy(const TomlReader& reader, const std::filesystem::path& folder) {
  MACAW_CHECK(reader.only({"file", "error"}));
  Accelergy accelergy;
  MACAW_ASSIGN(accelergy.file, reader.text("file"));
  MACAW_ASSIGN(const auto yaml, text_of(folder / accelergy.file));
  MACAW_ASSIGN(accelergy.picojoules, parse_accelergy(yaml, accelergy.file));
  MACAW_ASSIGN(accelergy.error, number(reader, "error"));
  if (!(accelergy.error > 0 && accelergy.error < 1)) return reader.error("error", "must be above 0 and below 1");
  return accelergy;
}

std::vector<std::string> event_names() {
  std::vector<std::string> names;
  for (const auto& event : events()) names.emplace_back(event.name);
  return names;
}

}  // namespace

Result<Table> parse_table(std::string_view toml, const std::string& name, const std::filesystem::path& folder) {
  MACAW_ASSIGN(const auto parsed, npu::parse_toml(toml, name));
  const TomlReader top{parsed, name, "top level"};
  MACAW_CHECK(top.only({"description", "accelergy", "picojoules"}));
  Table table{.name = name, .description = {}, .costs = {}};
  MACAW_ASSIGN(table.description, top.text("description"));
  std::optional<Accelergy> accelergy;
  if (parsed.contains("accelergy")) {
    const auto* from = parsed.get_as<toml::table>("accelergy");
    if (from == nullptr) return top.error("accelergy", "must be a table");
    MACAW_ASSIGN(accelergy, read_accelergy({*from, name, "accelergy"}, folder));
  }
  const auto* costs = parsed.get_as<toml::table>("picojoules");
  if (costs == nullptr || costs->empty()) return top.error("picojoules", "must be a table of events");
  for (const auto& event : events()) {
    if (!costs->contains(event.name)) continue;
    const auto* cost = costs->get_as<toml::table>(event.name);
    const TomlReader all{*costs, name, "picojoules"};
    if (cost == nullptr) return all.error(event.name, "must be a table of low, high and source");
    MACAW_ASSIGN(auto read, read_cost({*cost, name, fmt::format("picojoules.{}", event.name)}, event, accelergy));
    table.costs.push_back(std::move(read));
  }
  for (const auto& [key, node] : *costs)
    if (find_event(key.str()) == nullptr)
      return TomlReader{*costs, name, "picojoules"}.error(
          key.str(), fmt::format("is not an event; expected one of {}", fmt::join(event_names(), ", ")));
  return table;
}

std::vector<std::string> table_names() {
  std::vector<std::string> names;
  for (const auto& table : embedded_tables()) names.emplace_back(table.name);
  return names;
}

Result<Table> load_table(const std::string& name_or_path) {
  if (name_or_path.ends_with(".toml")) {
    MACAW_ASSIGN(const auto text, text_of(name_or_path));
    return parse_table(text, name_or_path, std::filesystem::path(name_or_path).parent_path());
  }
  const auto found = std::ranges::find(embedded_tables(), name_or_path, &EmbeddedTable::name);
  if (found == embedded_tables().end())
    return fail(ErrorCode::kUsage,
                fmt::format("unknown energy table '{}'{}", name_or_path, io::near_names(name_or_path, table_names())));
  return parse_table(found->text, name_or_path, {});
}

}  // namespace macaw::energy
