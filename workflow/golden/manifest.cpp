#include "workflow/golden/manifest.hpp"

#include "sim/timing/toml_guard.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>

namespace macaw::golden {
namespace {

tl::unexpected<Error> invalid(const std::string& file, const std::string& text) {
  return fail(ErrorCode::kInvalidFile, text, {.file = file});
}

struct Reader {
  const toml::table& table;
  std::string file, where;

  [[nodiscard]] tl::unexpected<Error> error(std::string_view key, std::string_view text) const {
    return invalid(file, fmt::format("{}: key '{}' {}", where, key, text));
  }

  [[nodiscard]] Result<void> only(std::initializer_list<std::string_view> known) const {
    for (const auto& [key, node] : table)
      if (std::ranges::find(known, key.str()) == known.end())
        return error(key.str(), fmt::format("is not known; expected one of {}", fmt::join(known, ", ")));
    return {};
  }

  [[nodiscard]] Result<std::string> text(std::string_view key) const {
    const auto value = table[key].value_exact<std::string>();
    if (!value || value->empty()) return error(key, "must be a text");
    return *value;
  }

  template <class T>
  [[nodiscard]] Result<std::vector<T>> texts(std::string_view key) const {
    std::vector<T> all;
    if (!table.contains(key)) return all;
    const auto* list = table.get_as<toml::array>(key);
    if (list == nullptr) return error(key, "must be a list of texts");
    for (const auto& node : *list) {
      const auto value = node.value_exact<std::string>();
      if (!value) return error(key, "must be a list of texts");
      all.emplace_back(*value);
    }
    return all;
  }
};

Result<Network> read_network(const Reader& reader) {
  MACAW_CHECK(reader.only({"name", "artifact", "inputs", "seed", "accelerators", "systems", "memory_modes"}));
  Network network;
  MACAW_ASSIGN(network.name, reader.text("name"));
  MACAW_ASSIGN(network.artifact, reader.text("artifact"));
  MACAW_ASSIGN(network.inputs, reader.texts<std::filesystem::path>("inputs"));
  MACAW_ASSIGN(network.accelerators, reader.texts<std::string>("accelerators"));
  MACAW_ASSIGN(network.systems, reader.texts<std::string>("systems"));
  MACAW_ASSIGN(network.memory_modes, reader.texts<std::string>("memory_modes"));
  if (reader.table.contains("seed")) {
    const auto seed = reader.table["seed"].value_exact<std::int64_t>();
    if (!seed || *seed < 0 || *seed > std::numeric_limits<std::uint32_t>::max())
      return reader.error("seed", "must be an integer from 0 to 4294967295");
    network.seed = static_cast<std::uint32_t>(*seed);
  }
  return network;
}

}  // namespace

Result<Manifest> parse_manifest(std::string_view toml, const std::string& file) {
  if (const auto line = npu::unsafe_toml_line(toml))
    return invalid(file, fmt::format("line {}: a character that only a text or a comment may have", *line));
  const auto parsed = toml::parse(toml);
  if (!parsed) {
    const auto& e = parsed.error();
    return invalid(file, fmt::format("line {}: {}", e.source().begin.line, e.description()));
  }
  const Reader top{parsed.table(), file, "top level"};
  MACAW_CHECK(top.only({"network", "tolerance"}));

  Manifest manifest;
  const auto* networks = parsed.table().get_as<toml::array>("network");
  if (networks == nullptr || networks->empty()) return top.error("network", "must be a list of tables ([[network]])");
  for (const auto& node : *networks) {
    const auto* table = node.as_table();
    if (table == nullptr) return top.error("network", "must be a list of tables ([[network]])");
    MACAW_ASSIGN(auto network, read_network({*table, file, fmt::format("network {}", manifest.networks.size())}));
    for (const auto& other : manifest.networks)
      if (other.name == network.name) return invalid(file, fmt::format("two networks have the name '{}'", other.name));
    manifest.networks.push_back(std::move(network));
  }
  if (!parsed.table().contains("tolerance")) return manifest;

  const auto* tolerances = parsed.table().get_as<toml::table>("tolerance");
  if (tolerances == nullptr) return top.error("tolerance", "must be a table");
  const Reader reader{*tolerances, file, "tolerance"};
  for (const auto& [key, node] : *tolerances) {
    const auto field = key.str();
    if (field != "cycles" && field != "operation_cycles" && field != "pmu" && !field.starts_with("ETHOSU_PMU_"))
      return reader.error(field, "is not known; expected cycles, operation_cycles, pmu or an ETHOSU_PMU_ event");
    const auto value = node.value<double>();
    if (!value || !(*value >= 0) || *value > 1) return reader.error(field, "must be a number from 0 to 1");
    manifest.tolerances[std::string(field)] = *value;
  }
  return manifest;
}

}  // namespace macaw::golden
