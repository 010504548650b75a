#include "sim/config/vela_config.hpp"

#include "base/file.hpp"
#include "base/near_names.hpp"

#include <fmt/format.h>
#include <ini.h>

#include <algorithm>
#include <charconv>

namespace macaw::npu {
namespace {

constexpr std::string_view kSystem = "System_Config.", kMode = "Memory_Mode.";
constexpr std::string_view kMemories[] = {"Sram", "Dram", "OnChipFlash", "OffChipFlash"};
constexpr std::string_view kMemoryKeys[] = {"clock_scale",   "ports_used", "burst_length", "read_latency",
                                            "write_latency", "max_reads",  "max_writes"};
constexpr std::size_t kMostEntries = 100'000, kMostInherited = 100;

using Section = VelaConfig::Section;

/// State of the parser's callback.
struct Parsed {
  std::map<std::string, Section> sections;
  std::string wrong;
  std::size_t entries = 0;

  bool add(const char* section, const char* name, const char* value) {
    if (++entries > kMostEntries) wrong = fmt::format("more than {} keys", kMostEntries);
    else if (!sections[section].emplace(name, value).second)
      wrong = fmt::format("section [{}]: key '{}' is given twice", section, name);
    return wrong.empty();
  }
};

/// inih truncates text that is longer than its buffers.
std::string too_long(const std::string& text) {
  constexpr std::size_t kLine = 198, kName = 48;
  std::size_t number = 1;
  for (std::size_t start = 0; start < text.size(); ++number) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    const std::string_view line(text.data() + start, end - start);
    if (line.size() > kLine) return fmt::format("line {} has more than {} characters", number, kLine);
    if (line.find('\0') != line.npos) return fmt::format("line {} is not text", number);
    const bool comment = line.starts_with(';') || line.starts_with('#');
    const auto name_end = line.find_first_of(line.starts_with('[') ? "]" : "=:");
    if (!comment && name_end != line.npos && name_end > kName)
      return fmt::format("line {}: the name has more than {} characters", number, kName);
    start = end + 1;
  }
  return {};
}

/// Reads the keys of a resolved section and reports errors for the user.
class IniReader {
 public:
  IniReader(std::string file, std::string name, Section keys)
      : file_(std::move(file)), name_(std::move(name)), keys_(std::move(keys)) {}

  [[nodiscard]] tl::unexpected<Error> error(std::string_view key, const std::string& text) const {
    Place place;
    place.file = file_;
    return fail(ErrorCode::kInvalidFile, fmt::format("section [{}]: key '{}' {}", name_, key, text), place);
  }

  [[nodiscard]] Result<void> only(const std::vector<std::string>& known) const {
    for (const auto& [key, value] : keys_)
      if (std::ranges::find(known, key) == known.end()) return error(key, "is not known" + io::near_names(key, known));
    return {};
  }

  [[nodiscard]] Result<double> number(const std::string& key, double otherwise, double max) const {
    const auto found = keys_.find(key);
    if (found == keys_.end()) return otherwise;
    const std::string& text = found->second;
    double value = 0;
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (status != std::errc{} || end != text.data() + text.size() || !(value >= 0) || value > max)
      return error(key, fmt::format("is '{}', expected a number from 0 to {}", text, max));
    return value;
  }

  [[nodiscard]] Result<std::string> one_of(const std::string& key, std::span<const std::string_view> values) const {
    const auto found = keys_.find(key);
    if (found == keys_.end()) return error(key, "is missing");
    if (std::ranges::find(values, found->second) == values.end())
      return error(key,
                   fmt::format("is '{}'{}", found->second,
                               io::near_names(found->second, std::vector<std::string>(values.begin(), values.end()))));
    return found->second;
  }

 private:
  std::string file_, name_;
  Section keys_;
};

/// Absent keys have Vela's defaults (ethosu/vela/architecture_features.py, _get_vela_config).
Result<MemoryTiming> read_memory(const IniReader& reader, const std::string& memory) {
  MemoryTiming timing;
  MACAW_ASSIGN(const double scale, reader.number(memory + "_clock_scale", 1, 16));
  if (scale == 0) return reader.error(memory + "_clock_scale", "must be above 0");
  MACAW_ASSIGN(const double ports, reader.number(memory + "_ports_used", 1, 16));
  timing.beats_per_cycle = scale * std::max(1.0, ports);
  struct Whole {
    const char *key, *field;
  };
  for (const Whole& whole : {Whole{"_burst_length", "least_bytes"}, Whole{"_read_latency", "read_latency"},
                             Whole{"_write_latency", "write_latency"}}) {
    const MemoryField& field = *find_memory_field(whole.field);
    MACAW_ASSIGN(const double value, reader.number(memory + whole.key, 0, field.max));
    field.set(timing, value);
  }
  // The NPU cannot reach a limit above the maximum of an adapter's register.
  for (const Whole& whole : {Whole{"_max_reads", "max_reads"}, Whole{"_max_writes", "max_writes"}}) {
    const MemoryField& field = *find_memory_field(whole.field);
    MACAW_ASSIGN(const double value, reader.number(memory + whole.key, 0, 65535));
    field.set(timing, value > field.max ? 0 : value);
  }
  return timing;
}

Result<SystemConfig> read_system(const IniReader& reader, const std::string& name, const std::string& file) {
  std::vector<std::string> known = {"core_clock", "axi0_port", "axi1_port"};
  for (const auto memory : kMemories)
    for (const auto key : kMemoryKeys) known.push_back(fmt::format("{}_{}", memory, key));
  MACAW_CHECK(reader.only(known));
  SystemConfig system;
  system.name = name;
  system.description = "System_Config." + name;
  system.source = file;
  MACAW_ASSIGN(system.clock_hz, reader.number("core_clock", 1, 1e12));
  if (system.clock_hz == 0) return reader.error("core_clock", "must be above 0");
  for (std::size_t side = 0; side < 2; ++side) {
    MACAW_ASSIGN(const auto memory, reader.one_of(side ? "axi1_port" : "axi0_port", kMemories));
    MACAW_ASSIGN(system.memory[side], read_memory(reader, memory));
  }
  return system;
}

Result<MemoryMode> read_mode(const IniReader& reader, const std::string& name) {
  MACAW_CHECK(reader.only({"const_mem_area", "arena_mem_area", "cache_mem_area", "arena_cache_size"}));
  constexpr std::string_view kAreas[] = {"Axi0", "Axi1"};
  MACAW_ASSIGN(const auto constants, reader.one_of("const_mem_area", kAreas));
  MACAW_ASSIGN(const auto arena, reader.one_of("arena_mem_area", kAreas));
  MACAW_ASSIGN(const auto cache, reader.one_of("cache_mem_area", kAreas));
  constexpr double kAbsent = -1;
  MACAW_ASSIGN(const auto size, reader.number("arena_cache_size", kAbsent, 1e18));
  MemoryMode mode;
  mode.name = name;
  // The values that the ml-embedded-evaluation-kit uses for Vela's own modes (configs/memory_modes.toml).
  mode.qconfig = constants == "Axi1" ? 3 : 0;
  mode.regioncfg.fill(cache == "Axi1" ? 3 : 1);
  mode.regioncfg[0] = mode.qconfig;
  mode.regioncfg[1] = arena == "Axi1" ? 3 : 0;
  if (size != kAbsent) mode.arena_cache_size = static_cast<std::uint64_t>(size);
  return mode;
}

std::vector<std::string> names(const std::map<std::string, Section>& sections, std::string_view kind) {
  std::vector<std::string> found;
  for (const auto& [name, keys] : sections)
    if (name.starts_with(kind)) found.push_back(name.substr(kind.size()));
  return found;
}

}  // namespace

tl::unexpected<Error> VelaConfig::error(const std::string& text) const {
  Place place;
  place.file = file_;
  return fail(ErrorCode::kInvalidFile, text, place);
}

Result<VelaConfig> VelaConfig::parse(const std::string& text, const std::string& file) {
  VelaConfig config;
  config.file_ = file;
  if (const auto wrong = too_long(text); !wrong.empty()) return config.error(wrong);
  Parsed parsed;
  const int line = ini_parse_string(
      text.c_str(),
      [](void* user, const char* section, const char* name, const char* value) {
        return static_cast<Parsed*>(user)->add(section, name, value) ? 1 : 0;
      },
      &parsed);
  if (!parsed.wrong.empty()) return config.error(parsed.wrong);
  if (line != 0) return config.error(fmt::format("line {}: neither a section nor key=value", line));
  config.sections_ = std::move(parsed.sections);
  for (const auto& [name, keys] : config.sections_)
    if (!name.starts_with(kSystem) && !name.starts_with(kMode))
      return config.error(fmt::format("section [{}] is neither [System_Config.*] nor [Memory_Mode.*]", name));
  if (config.sections_.empty()) return config.error("holds neither a [System_Config.*] nor a [Memory_Mode.*] section");
  return config;
}

Result<VelaConfig> VelaConfig::load(const std::string& path) {
  MACAW_ASSIGN(const auto bytes, io::read_file(path));
  return parse({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, path);
}

/// Returns a section with its inherited keys; its own keys take precedence.
Result<Section> VelaConfig::resolve(const std::string& section) const {
  Section resolved;
  std::vector<std::string> visited;
  for (std::string current = section; !current.empty();) {
    if (std::ranges::find(visited, current) != visited.end())
      return error(fmt::format("section [{}] inherits from itself", current));
    if (visited.size() == kMostInherited)
      return error(fmt::format("section [{}] inherits through more than {} sections", section, kMostInherited));
    const auto found = sections_.find(current);
    if (found == sections_.end())
      return error(
          fmt::format("section [{}]: inherit={} names no section", visited.empty() ? "" : visited.back(), current));
    visited.push_back(current);
    resolved.insert(found->second.begin(), found->second.end());
    const auto next = found->second.find("inherit");
    current = next == found->second.end() ? "" : next->second;
  }
  resolved.erase("inherit");
  return resolved;
}

std::vector<std::string> VelaConfig::systems() const { return names(sections_, kSystem); }
std::vector<std::string> VelaConfig::modes() const { return names(sections_, kMode); }

Result<SystemConfig> VelaConfig::system(const std::string& name) const {
  const std::string section = std::string(kSystem) + name;
  MACAW_ASSIGN(auto keys, resolve(section));
  MACAW_ASSIGN(auto system, read_system(IniReader(file_, section, std::move(keys)), name, file_));
  MACAW_ASSIGN(const auto common, common_memory_modes());
  system.add_modes(common);
  return system;
}

Result<MemoryMode> VelaConfig::mode(const std::string& name) const {
  const std::string section = std::string(kMode) + name;
  MACAW_ASSIGN(auto keys, resolve(section));
  return read_mode(IniReader(file_, section, std::move(keys)), name);
}

}  // namespace macaw::npu
