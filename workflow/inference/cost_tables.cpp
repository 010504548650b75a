#include "workflow/inference/cost_tables.hpp"

#include <algorithm>
#include <cmath>
#include <new>

#include <fmt/format.h>

#include "base/file.hpp"
#include "workflow/inference/embedded_tables.hpp"
#include "workflow/run/toml_reader.hpp"

namespace macaw::inference {
namespace {

using run::TomlReader;
constexpr std::string_view kPlatform = "platform";

/// A number from 0 on, or `otherwise` where it is absent.
Result<double> figure(const TomlReader& reader, std::string_view key, double otherwise) {
  if (!reader.table.contains(key)) return otherwise;
  constexpr double kMostFigure = 1e9;
  const auto value = reader.table[key].value<double>();
  if (!reader.table[key].is_number() || !value || !(*value >= 0) || *value > kMostFigure)
    return reader.error(key, fmt::format("must be a number from 0 to {:.0e}", kMostFigure));
  return *value;
}

Result<Range> read_range(const TomlReader& reader) {
  Range range;
  MACAW_ASSIGN(range.low, figure(reader, "low", 1));
  MACAW_ASSIGN(range.high, figure(reader, "high", 1));
  MACAW_ASSIGN(range.typical, figure(reader, "typical", std::sqrt(range.low * range.high)));
  if (!(range.low <= range.typical && range.typical <= range.high))
    return reader.error("typical", "must lie between 'low' and 'high'");
  return range;
}

Result<PlatformEntry> read_entry(const TomlReader& reader) {
  MACAW_CHECK(reader.only({"as", "low", "typical", "high", "source", "class"}));
  PlatformEntry entry;
  MACAW_ASSIGN(entry.range, read_range(reader));
  if (reader.table.contains("as")) {
    MACAW_ASSIGN(entry.as, reader.text("as"));
  }
  MACAW_ASSIGN(entry.source, reader.text("source"));
  return entry;
}

Result<CostRow> read_cost_row(const TomlReader& reader) {
  MACAW_CHECK(reader.only({"class", "type", "core", "compiler", "fixed", "element", "mac", "low", "high", "source"}));
  CostRow row;
  for (const auto& [key, member] : {std::pair{"class", &CostRow::cls},
                                    {"type", &CostRow::type},
                                    {"core", &CostRow::core},
                                    {"compiler", &CostRow::compiler},
                                    {"source", &CostRow::source}}) {
    MACAW_ASSIGN(row.*member, reader.text(key));
  }
  for (const auto& [key, member] :
       {std::pair{"fixed", &CostRow::fixed}, {"element", &CostRow::element}, {"mac", &CostRow::mac}}) {
    MACAW_ASSIGN(row.*member, figure(reader, key, 0));
  }
  if (row.fixed + row.element + row.mac <= 0) return reader.error("element", "or 'fixed' or 'mac' must be above 0");
  MACAW_ASSIGN(row.low, figure(reader, "low", 1));
  MACAW_ASSIGN(row.high, figure(reader, "high", 1));
  if (!(row.low <= 1 && row.high >= 1)) return reader.error("low", "must be at most 1, and 'high' at least 1");
  return row;
}

/// The tables of a list, each read by `read`.
template <class Read>
Result<void> read_list(const TomlReader& top, std::string_view key, Read read) {
  if (!top.table.contains(key)) return {};
  const auto* list = top.table.get_as<toml::array>(key);
  if (list == nullptr) return top.error(key, "must be a list of tables");
  for (std::size_t i = 0; i < list->size(); ++i) {
    const auto* table = list->get(i)->as_table();
    if (table == nullptr) return top.error(key, "must be a list of tables");
    MACAW_CHECK(read(TomlReader{*table, top.file, fmt::format("{}[{}]", key, i)}));
  }
  return {};
}

/// A source that [sources] has stands for the text there.
void expand(std::string& source, const toml::table* sources) {
  if (sources == nullptr) return;
  if (const auto text = (*sources)[source].value_exact<std::string>()) source = *text;
}

}  // namespace

const PlatformEntry* CostTables::find(std::string_view section, std::string_view name) const {
  const auto entries = platform.find(section);
  if (entries == platform.end()) return nullptr;
  const auto entry = entries->second.find(name);
  return entry == entries->second.end() ? nullptr : &entry->second;
}

const PlatformEntry& CostTables::at(std::string_view section, std::string_view name) const {
  static const PlatformEntry nothing;
  const auto* entry = find(section, name);
  return entry == nullptr ? nothing : *entry;
}

Result<LibraryTable> parse_library(std::string_view toml, const std::string& name) {
  MACAW_ASSIGN(const auto parsed, npu::parse_toml(toml, name));
  const TomlReader top{parsed, name, "top level"};
  MACAW_CHECK(top.only({"description", "otherwise", "costs", "borrowed", "sources"}));
  LibraryTable table{.name = name, .description = {}, .otherwise = {}, .costs = {}, .borrowed = {}};
  MACAW_ASSIGN(table.description, top.text("description"));
  MACAW_ASSIGN(table.otherwise, top.texts<std::string>("otherwise"));
  const auto* sources = parsed.get_as<toml::table>("sources");
  if (parsed.contains("sources") && sources == nullptr) return top.error("sources", "must be a table of texts");
  MACAW_CHECK(read_list(top, "costs", [&](const TomlReader& reader) -> Result<void> {
    MACAW_ASSIGN(auto row, read_cost_row(reader));
    expand(row.source, sources);
    table.costs.push_back(std::move(row));
    return {};
  }));
  MACAW_CHECK(read_list(top, "borrowed", [&](const TomlReader& reader) -> Result<void> {
    MACAW_ASSIGN(auto entry, read_entry(reader));
    MACAW_ASSIGN(const auto cls, reader.text("class"));
    if (entry.as.empty()) return reader.error("as", "must name a class");
    expand(entry.source, sources);
    table.borrowed.insert_or_assign(cls, std::move(entry));
    return {};
  }));
  if (table.costs.empty() && table.borrowed.empty() && table.otherwise.empty())
    return top.error("costs", "must list the costs of classes");
  return table;
}

Result<LibraryTable> load_library(const std::string& path) {
  MACAW_ASSIGN(const auto bytes, io::read_file(path));
  return parse_library({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, path);
}

Result<std::map<std::string, PlatformSection, std::less<>>> parse_platform(std::string_view toml,
                                                                           const std::string& name) {
  MACAW_ASSIGN(const auto parsed, npu::parse_toml(toml, name));
  const TomlReader top{parsed, name, "top level"};
  MACAW_CHECK(top.text("description"));
  std::map<std::string, PlatformSection, std::less<>> sections;
  for (const auto& [key, node] : parsed) {
    if (key.str() == "description") continue;
    const auto* section = node.as_table();
    if (section == nullptr) return top.error(key.str(), "must be a table");
    for (const auto& [entry_name, entry_node] : *section) {
      const auto* entry = entry_node.as_table();
      if (entry == nullptr)
        return TomlReader{*section, name, std::string(key.str())}.error(entry_name.str(), "must be a table");
      MACAW_ASSIGN(auto read, read_entry({*entry, name, fmt::format("{}.{}", key.str(), entry_name.str())}));
      sections[std::string(key.str())].emplace(entry_name.str(), std::move(read));
    }
  }
  return sections;
}

Result<CostTables> built_in_tables() {
  static const auto tables = []() -> Result<CostTables> {
    CostTables all;
    for (const auto& file : embedded_tables()) {
      if (file.name == kPlatform) {
        MACAW_ASSIGN(all.platform, parse_platform(file.text, std::string(file.name)));
      } else {
        MACAW_ASSIGN(auto library, parse_library(file.text, std::string(file.name)));
        all.libraries.emplace(file.name, std::move(library));
      }
    }
    return all;
  }();
  return tables;
}

}  // namespace macaw::inference
