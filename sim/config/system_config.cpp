#include "sim/config/system_config.hpp"

#include "base/file.hpp"
#include "base/near_names.hpp"
#include "base/number_text.hpp"
#include "sim/config/embedded_configs.hpp"
#include "sim/config/toml.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <new>

namespace macaw::npu {
namespace {

constexpr std::pair<std::string_view, std::string MemoryTiming::*> kEngineTexts[] = {
    {"engine", &MemoryTiming::engine},
    {"engine_setup", &MemoryTiming::engine_setup},
};

std::vector<std::string> memory_keys() {
  std::vector<std::string> names;
  for (const auto& [key, member] : kEngineTexts) names.emplace_back(key);
  for (const auto& field : memory_fields()) names.emplace_back(field.name);
  return names;
}

constexpr std::pair<std::string_view, std::string SystemConfig::*> kTexts[] = {
    {"description", &SystemConfig::description},         {"source", &SystemConfig::source},
    {"vela_system", &SystemConfig::vela_system},         {"confidence", &SystemConfig::confidence},
    {"checked_against", &SystemConfig::checked_against},
};
constexpr std::string_view kConfidences[] = {"exact", "vendor", "fitted", "assumed"};

/// Reads the keys of one table and reports errors for the user.
class TomlReader {
 public:
  TomlReader(const toml::table& table, std::string file, std::string prefix = "")
      : table_(table), file_(std::move(file)), prefix_(std::move(prefix)) {}

  [[nodiscard]] tl::unexpected<Error> error(std::string_view key, const std::string& text) const {
    Place place;
    place.file = file_;
    return fail(ErrorCode::kInvalidFile, "key '" + prefix_ + std::string(key) + "' " + text, place);
  }

  [[nodiscard]] Result<void> only(const std::vector<std::string>& known) const {
    for (const auto& [key, value] : table_)
      if (std::ranges::find(known, key.str()) == known.end())
        return error(key.str(), "is not known" + io::near_names(key.str(), known));
    return {};
  }

  [[nodiscard]] Result<std::string> text(std::string_view key) const {
    const auto value = table_[key].value_exact<std::string>();
    if (!value) return error(key, "must be a text");
    return *value;
  }

  [[nodiscard]] Result<std::int64_t> integer(std::string_view key, const toml::node* node, std::int64_t max) const {
    const auto value = node != nullptr ? node->value_exact<std::int64_t>() : std::nullopt;
    if (!value || *value < 0 || *value > max) return error(key, "must be an integer from 0 to " + std::to_string(max));
    return *value;
  }

  [[nodiscard]] Result<const toml::table*> table(std::string_view key) const {
    const auto* found = table_.get_as<toml::table>(key);
    if (found == nullptr) return error(key, "must be a table");
    return found;
  }

  [[nodiscard]] TomlReader sub(const toml::table& table, std::string_view key) const {
    return {table, file_, prefix_ + std::string(key) + "."};
  }
  [[nodiscard]] const toml::table& raw() const { return table_; }

 private:
  const toml::table& table_;
  std::string file_, prefix_;
};

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
}

Result<MemoryTiming> read_memory(const TomlReader& parent, std::string_view key) {
  MACAW_ASSIGN(const auto* table, parent.table(key));
  const auto reader = parent.sub(*table, key);
  MACAW_CHECK(reader.only(memory_keys()));
  MemoryTiming memory;
  for (const auto& [key, member] : kEngineTexts) {
    if (!table->contains(key)) continue;
    MACAW_ASSIGN(memory.*member, reader.text(key));
  }
  if (!std::ranges::all_of(memory.engine, is_name_character))
    return reader.error("engine", "must be a name of letters, digits, '-' and '_'");
  for (const auto& field : memory_fields()) {
    const auto* node = table->get(field.name);
    if (node == nullptr) continue;
    double number = 0;
    if (field.integer) {
      MACAW_ASSIGN(const auto value, reader.integer(field.name, node, static_cast<std::int64_t>(field.max)));
      number = static_cast<double>(value);
    } else {
      const auto value = node->value<double>();
      if (!value || !(*value >= 0) || *value > field.max)
        return reader.error(field.name, fmt::format("must be a number from 0 to {}", field.max));
      number = *value;
    }
    field.set(memory, number);
  }
  if (const auto wrong = contradiction(memory); !wrong.empty()) return parent.error(key, ": " + std::string(wrong));
  return memory;
}

Result<std::vector<MemoryMode>> read_modes(const TomlReader& reader) {
  std::vector<MemoryMode> modes;
  for (const auto& [key, node] : reader.raw()) {
    MACAW_ASSIGN(const auto* table, reader.table(key.str()));
    const auto mode_reader = reader.sub(*table, key.str());
    MACAW_CHECK(mode_reader.only({"qconfig", "regioncfg", "arena_cache_size"}));
    MemoryMode mode;
    mode.name = std::string(key.str());
    MACAW_ASSIGN(const auto qconfig, mode_reader.integer("qconfig", table->get("qconfig"), 3));
    mode.qconfig = static_cast<int>(qconfig);
    const auto* regions = table->get_as<toml::array>("regioncfg");
    if (regions == nullptr || regions->size() != mode.regioncfg.size())
      return mode_reader.error("regioncfg", "must list eight integers");
    for (std::size_t i = 0; i < mode.regioncfg.size(); ++i) {
      MACAW_ASSIGN(const auto value, mode_reader.integer("regioncfg", regions->get(i), 3));
      mode.regioncfg[i] = static_cast<int>(value);
    }
    if (const auto* size = table->get("arena_cache_size"); size != nullptr) {
      MACAW_ASSIGN(const auto bytes, mode_reader.integer("arena_cache_size", size, INT64_MAX));
      mode.arena_cache_size = static_cast<std::uint64_t>(bytes);
    }
    modes.push_back(std::move(mode));
  }
  return modes;
}

/// Reads measured_ratios and fitted_values.
Result<void> read_ratios(const TomlReader& reader, SystemConfig& config) {
  constexpr std::string_view kRatios = "measured_ratios", kFitted = "fitted_values";
  if (const auto* node = reader.raw().get(kRatios); node != nullptr) {
    const auto* list = node->as_array();
    if (list == nullptr || list->empty()) return reader.error(kRatios, "must be a list of numbers");
    for (const auto& item : *list) {
      const auto ratio = item.value<double>();
      if (!ratio || !(*ratio >= 0.01 && *ratio <= 100))
        return reader.error(kRatios, "must hold numbers from 0.01 to 100");
      config.measured_ratios.push_back(*ratio);
    }
  }
  if (const auto* node = reader.raw().get(kFitted); node != nullptr) {
    if (config.measured_ratios.empty()) return reader.error(kFitted, "needs measured_ratios");
    const auto most = static_cast<std::int64_t>(config.measured_ratios.size()) - 1;
    MACAW_ASSIGN(const auto fitted, reader.integer(kFitted, node, most));
    config.fitted_values = static_cast<std::size_t>(fitted);
  }
  return {};
}

Result<CpuConfig> read_cpu(const TomlReader& parent) {
  MACAW_ASSIGN(const auto* table, parent.table("cpu"));
  const auto reader = parent.sub(*table, "cpu");
  CpuConfig cpu;
  for (const auto& [key, node] : *table) {
    const auto fields = cpu_fields();
    const auto field = std::ranges::find(fields, key.str(), &CpuField::name);
    if (field != fields.end() && field->word != nullptr && !node.is_string())
      return reader.error(key.str(), "must be a text");
    const auto number = node.is_number() ? node.value<double>() : std::nullopt;
    const auto set = set_cpu_field(cpu, key.str(), number ? fmt::format("{}", *number) : node.value_or(std::string()));
    if (!set) return reader.error(key.str(), set.error().message);
  }
  if (const auto wrong = contradiction(cpu); !wrong.empty()) return parent.error("cpu", ": " + std::string(wrong));
  return cpu;
}

/// Read once, because every run searches them several times for the default of its accelerator.
const std::map<std::string, SystemConfig, std::less<>>& built_in_systems() {
  static const auto systems = [] {
    std::map<std::string, SystemConfig, std::less<>> all;
    for (const auto& system : embedded_systems()) {
      auto config = parse_system_config(system.text, std::string(system.name));
      // These texts are valid; toml++ reports a number as invalid if there is no memory for it.
      if (!config) throw std::bad_alloc();
      all.emplace(system.name, *std::move(config));
    }
    return all;
  }();
  return systems;
}

}  // namespace

void SystemConfig::add_modes(std::span<const MemoryMode> added) {
  for (const auto& mode : added) {
    std::erase_if(modes, [&](const MemoryMode& old) { return old.name == mode.name; });
    modes.push_back(mode);
  }
}

Result<std::vector<MemoryMode>> common_memory_modes() {
  static const auto modes = []() -> Result<std::vector<MemoryMode>> {
    MACAW_ASSIGN(const auto common, parse_toml(embedded_memory_modes(), "memory_modes"));
    return read_modes(TomlReader(common, "memory_modes"));
  }();
  return modes;
}

std::optional<MemoryMode> SystemConfig::find_mode(std::string_view mode) const {
  for (const auto& candidate : modes) {
    if (candidate.name == mode) return candidate;
    // "<mode>_384KB"
    if (!mode.starts_with(candidate.name + "_") || !mode.ends_with("KB")) continue;
    const auto size = mode.substr(candidate.name.size() + 1, mode.size() - candidate.name.size() - 3);
    const auto kib = io::number_of<std::uint32_t>(size);
    if (!kib) continue;
    MemoryMode sized = candidate;
    sized.arena_cache_size = std::uint64_t{*kib} * 1024;
    return sized;
  }
  return std::nullopt;
}

Result<SystemConfig> parse_system_config(std::string_view toml, const std::string& name) {
  MACAW_ASSIGN(const auto root, parse_toml(toml, name));
  const TomlReader reader(root, name);
  MACAW_CHECK(reader.only({"description", "source", "vela_system", "confidence", "checked_against", "accelerators",
                           "default", "clock_hz", "default_memory_mode", "measured_ratios", "fitted_values", "axi0",
                           "axi1", "memory_modes", "cpu"}));
  SystemConfig config;
  config.name = name;
  for (const auto& [key, member] : kTexts) {
    if (!root.contains(key)) continue;
    MACAW_ASSIGN(config.*member, reader.text(key));
  }
  if (!config.confidence.empty() && std::ranges::find(kConfidences, config.confidence) == std::end(kConfidences))
    return reader.error("confidence", fmt::format("must be one of {}", fmt::join(kConfidences, ", ")));
  if (const auto* node = root.get("accelerators"); node != nullptr) {
    const auto* list = node->as_array();
    if (list == nullptr) return reader.error("accelerators", "must be a list of texts");
    for (const auto& item : *list) {
      const auto text = item.value_exact<std::string>();
      if (!text) return reader.error("accelerators", "must be a list of texts");
      config.accelerators.push_back(*text);
    }
  }
  if (root.contains("default")) {
    const auto value = root["default"].value_exact<bool>();
    if (!value) return reader.error("default", "must be true or false");
    config.is_default = *value;
  }
  MACAW_CHECK(read_ratios(reader, config));
  if (root.contains("cpu")) {
    MACAW_ASSIGN(config.cpu, read_cpu(reader));
  }
  const auto clock = root["clock_hz"].value<double>();
  if (!clock || !(*clock > 0) || *clock > 1e12) return reader.error("clock_hz", "must be a positive number");
  config.clock_hz = *clock;
  MACAW_ASSIGN(config.memory[0], read_memory(reader, "axi0"));
  MACAW_ASSIGN(config.memory[1], read_memory(reader, "axi1"));

  MACAW_ASSIGN(const auto common, common_memory_modes());
  config.add_modes(common);
  if (root.contains("memory_modes")) {
    MACAW_ASSIGN(const auto* own, reader.table("memory_modes"));
    MACAW_ASSIGN(const auto modes, read_modes(reader.sub(*own, "memory_modes")));
    config.add_modes(modes);
  }
  MACAW_ASSIGN(config.default_mode, reader.text("default_memory_mode"));
  if (!config.find_mode(config.default_mode)) return reader.error("default_memory_mode", "names no memory mode");
  return config;
}

Result<SystemConfig> load_system_config(const std::string& name_or_path) {
  const auto& built_in = built_in_systems();
  if (const auto found = built_in.find(name_or_path); found != built_in.end()) return found->second;
  if (!name_or_path.ends_with(".toml")) {
    return fail(ErrorCode::kUsage, "unknown system '" + name_or_path + "'" +
                                       io::near_names(name_or_path, system_config_names()) + " (or a .toml file)");
  }
  MACAW_ASSIGN(const auto bytes, io::read_file(name_or_path));
  return parse_system_config({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, name_or_path);
}

std::vector<std::string> system_config_names() {
  std::vector<std::string> names;
  for (const auto& system : embedded_systems()) names.emplace_back(system.name);
  return names;
}

std::string default_system(const Accelerator& accelerator) {
  for (const auto& [name, config] : built_in_systems())
    if (config.is_default && std::ranges::find(config.accelerators, accelerator.name) != config.accelerators.end())
      return name;
  return "ideal";
}

SystemConfig without_timing_adapter(SystemConfig config) {
  config.memory = {};
  config.measured_ratios.clear();
  return config;
}

}  // namespace macaw::npu
