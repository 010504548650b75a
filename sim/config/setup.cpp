#include "sim/config/setup.hpp"

#include "base/near_names.hpp"
#include "sim/config/vela_config.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace macaw::npu {
namespace {

constexpr std::string_view kClock = "clock_hz", kBurst = "burst_bytes";

template <class T>
bool contains(const std::vector<T>& list, std::string_view name) {
  return std::ranges::find(list, name) != list.end();
}

Result<SystemConfig> find_system(const Accelerator& accelerator, const std::string& name,
                                 const std::optional<VelaConfig>& vela, const std::string& vela_path) {
  if (vela) {
    const auto own = vela->systems();
    if (contains(own, name)) return vela->system(name);
    if (!own.empty()) {
      auto known = system_config_names();
      known.insert(known.begin(), own.begin(), own.end());
      if (name.empty())
        return fail(ErrorCode::kUsage,
                    fmt::format("{} holds several systems: choose one{}", vela_path, io::near_names(name, own)));
      if (!contains(known, name) && !name.ends_with(".toml"))
        return fail(ErrorCode::kUsage, fmt::format("neither {} nor Macaw has a system '{}'{}", vela_path, name,
                                                   io::near_names(name, known)));
    }
  }
  return load_system_config(name.empty() ? default_system(accelerator) : name);
}

/// Vela's default memory mode (ethosu/vela/architecture_features.py, _set_default_mem_mode).
std::string default_mode(const Accelerator& accelerator, const SystemConfig& system) {
  if (!system.default_mode.empty()) return system.default_mode;
  return std::string(traits(accelerator.family).default_memory_mode);
}

Result<void> choose_mode(Setup& setup, const Accelerator& accelerator, const SetupRequest& request,
                         const std::optional<VelaConfig>& vela) {
  const std::string name = request.memory_mode.empty() ? default_mode(accelerator, setup.system) : request.memory_mode;
  if (vela && contains(vela->modes(), name)) {
    MACAW_ASSIGN(setup.mode, vela->mode(name));
    setup.mode_source = request.vela_config;
    return {};
  }
  const auto mode = setup.system.find_mode(name);
  if (!mode) {
    std::vector<std::string> known;
    for (const auto& candidate : setup.system.modes) known.push_back(candidate.name);
    if (vela)
      for (auto& candidate : vela->modes()) known.push_back(std::move(candidate));
    return fail(ErrorCode::kUsage, fmt::format("system {} has no memory mode '{}'{}", setup.system.name, name,
                                               io::near_names(name, known)));
  }
  setup.mode = *mode;
  setup.mode_source = "system " + setup.system.name;
  return {};
}

/// Splits "axi0.FIELD" or "sram.FIELD", with the family's name of a side, into side and field; -1: a different name.
std::pair<int, std::string_view> split_field(std::string_view name, Family family) {
  const auto dot = name.find('.');
  if (dot == name.npos) return {-1, name};
  const auto head = name.substr(0, dot), rest = name.substr(dot + 1);
  const auto& ports = traits(family).ports;
  if (head == "axi0" || head == ports[0]) return {0, rest};
  if (head == "axi1" || head == ports[1]) return {1, rest};
  return {-1, name};
}

/// Returns the index of "stream.address" or "region2.address" in Setup::addresses.
std::optional<std::size_t> place_of_address(std::string_view name) {
  constexpr std::string_view kAddress = ".address", kRegion = "region";
  if (!name.ends_with(kAddress)) return {};
  name.remove_suffix(kAddress.size());
  if (name == "stream") return 0;
  if (name.size() != kRegion.size() + 1 || !name.starts_with(kRegion) || name.back() < '0' || name.back() > '7')
    return {};
  return static_cast<std::size_t>(name.back() - '0') + 1;
}

std::vector<std::string> settable_names(const Params& params) {
  std::vector<std::string> names{std::string(kClock)};
  for (const auto& info : all_params())
    if (!std::isnan(params.*info.member)) names.emplace_back(info.name);
  for (const auto* side : {"axi0.", "axi1."}) {
    for (const auto& field : memory_fields()) names.push_back(side + std::string(field.name));
    names.push_back(side + std::string(kBurst));
  }
  names.emplace_back("stream.address");
  for (int region = 0; region < 8; ++region) names.push_back(fmt::format("region{}.address", region));
  return names;
}

Result<void> choose_clock(Setup& setup, double hertz) {
  if (!(hertz >= 1 && hertz <= 1e12))
    return fail(ErrorCode::kUsage, fmt::format("{} must be from 1 to 1e12 Hz, not {}", kClock, hertz));
  setup.system.clock_hz = hertz;
  setup.overridden.emplace_back(kClock);
  return {};
}

/// Accepts the lengths that max_beats of AXI_LIMIT0 to 3 (U85: AXI_SRAM, AXI_EXT) can encode.
Result<void> choose_burst(Setup& setup, const std::string& name, int side, double bytes) {
  if (bytes != 64 && bytes != 128 && bytes != 256)
    return fail(ErrorCode::kUsage, fmt::format("{} must be 64, 128 or 256, not {}", name, bytes));
  setup.burst_bytes[static_cast<std::size_t>(side)] = static_cast<std::uint32_t>(bytes);
  setup.overridden.push_back(fmt::format("axi{}.{}", side, kBurst));
  return {};
}

/// Sets an address of QBASE or BASEP, which the register must be able to hold.
Result<void> choose_address(Setup& setup, const std::string& name, std::size_t place, double address) {
  if (!(address >= 0 && address < 0x1p40 && std::fmod(address, 16) == 0))
    return fail(ErrorCode::kUsage, fmt::format("{} must be a multiple of 16 below 2^40, not {}", name, address));
  setup.addresses[place] = static_cast<std::uint64_t>(address);
  setup.overridden.push_back(name);
  return {};
}

Result<void> override_value(Setup& setup, const Accelerator& accelerator, const std::string& name, double value) {
  const auto [side, rest] = split_field(name, accelerator.family);
  if (name == kClock) return choose_clock(setup, value);
  if (const auto place = place_of_address(name)) return choose_address(setup, name, *place, value);
  if (side < 0) {
    const auto current = setup.params.get(name);
    if (!current)
      return fail(ErrorCode::kUsage, fmt::format("unknown timing parameter '{}'{}", name,
                                                 io::near_names(name, settable_names(setup.params))));
    if (std::isnan(*current))
      return fail(ErrorCode::kUsage, fmt::format("timing parameter {} does not apply to {}", name, accelerator.name));
    MACAW_CHECK(setup.params.set(name, value));
    setup.overridden.push_back(name);
    return {};
  }
  if (rest == kBurst) return choose_burst(setup, name, side, value);
  const MemoryField* field = find_memory_field(rest);
  if (field == nullptr)
    return fail(ErrorCode::kUsage,
                fmt::format("unknown memory field '{}'{}", rest, io::near_names(name, settable_names(setup.params))));
  if (!(value >= 0) || value > field->max || (field->integer && value != std::floor(value)))
    return fail(ErrorCode::kUsage, fmt::format("{} must be {} from 0 to {}", name,
                                               field->integer ? "an integer" : "a number", field->max));
  field->set(setup.system.memory[static_cast<std::size_t>(side)], value);
  setup.overridden.push_back(fmt::format("axi{}.{}", side, rest));
  return {};
}

}  // namespace

Result<Setup> resolve_setup(const Accelerator& accelerator, const SetupRequest& request) {
  Setup setup;
  std::optional<VelaConfig> vela;
  if (!request.vela_config.empty()) {
    MACAW_ASSIGN(vela, VelaConfig::load(request.vela_config));
  }
  MACAW_ASSIGN(setup.system, find_system(accelerator, request.system, vela, request.vela_config));
  if (!setup.system.accelerators.empty() && !contains(setup.system.accelerators, accelerator.name))
    return fail(ErrorCode::kMismatch,
                fmt::format("system {} has {}, but the network is compiled for {}", setup.system.name,
                            fmt::join(setup.system.accelerators, ", "), accelerator.name));
  MACAW_CHECK(choose_mode(setup, accelerator, request, vela));
  setup.memory_source = "system " + setup.system.name;
  setup.timing_adapter = request.timing_adapter;
  if (!request.timing_adapter) {
    setup.system = without_timing_adapter(std::move(setup.system));
    setup.memory_source = "timing adapter off";
  }
  setup.params = default_params(accelerator);
  setup.burst_bytes.fill(static_cast<std::uint32_t>(accelerator.burst_bytes));
  for (const auto& [name, value] : request.overrides) MACAW_CHECK(override_value(setup, accelerator, name, value));
  for (int side = 0; side < 2; ++side)
    if (const auto wrong = contradiction(setup.system.memory[static_cast<std::size_t>(side)]); !wrong.empty())
      return fail(ErrorCode::kUsage, fmt::format("axi{}: {}", side, wrong));
  return setup;
}

Result<std::optional<std::uint64_t>> fast_memory(const Accelerator& accelerator, const TimedOptions& options) {
  MACAW_ASSIGN(const auto setup, resolve_setup(accelerator, setup_request(options)));
  return setup.mode.fast_memory();
}

}  // namespace macaw::npu
