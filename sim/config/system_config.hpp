#pragma once
#include <macaw/error.hpp>
#include <macaw/npu/accelerator.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/config/cpu_config.hpp"

namespace macaw::npu {

/// Memory behind one side of the NPU (all its ports). Times are in NPU cycles; 0 means no limit. The first nine members
/// are registers of Arm's timing adapter, with bandwidth in beats: windows of pulse_on cycles in which requests pass
/// alternate with pulse_off cycles in which they do not; at most bandwidth_cap beats pass in each. The adapter's
/// counter is independent of the NPU, and is pulse_phase cycles into a window when the NPU starts.
struct MemoryTiming {
  std::uint32_t max_reads = 0, max_writes = 0, max_reads_writes = 0;  ///< transactions outstanding
  std::uint32_t read_latency = 0, write_latency = 0;
  std::uint32_t pulse_on = 0, pulse_off = 0, bandwidth_cap = 0;
  std::uint32_t pulse_phase = 0;
  double beats_per_cycle = 0;              ///< of the memory itself, reads and writes together
  std::uint32_t access_latency = 0;        ///< of the memory itself, behind the timing adapter: address to first beat
  std::uint32_t least_bytes = 0;           ///< time of the shortest access to consecutive bytes, expressed in bytes
  std::uint32_t partial_write_cycles = 0;  ///< minimum time of a write to part of the last write's word
  std::uint32_t separate_pixels = 0;       ///< 1: the NPU writes each pixel separately, 0: it merges contiguous ones
  double traffic = 0;                      ///< share of the memory's time that other masters take
  std::string engine = {};  ///< a library's model (macaw/sc/memory_engine.hpp) that replaces the memory; empty: none
  std::string engine_setup = {};  ///< passed to the engine
  friend bool operator==(const MemoryTiming&, const MemoryTiming&) = default;
};

/// A field of MemoryTiming by the name that files and `-C axi0.NAME=VALUE` use.
struct MemoryField {
  std::string_view name, unit, text;
  double max = 0;
  bool integer = true;
  double (*get)(const MemoryTiming&) = nullptr;
  void (*set)(MemoryTiming&, double) = nullptr;
};
[[nodiscard]] std::span<const MemoryField> memory_fields();
[[nodiscard]] const MemoryField* find_memory_field(std::string_view name);
/// Reports an inconsistent combination of fields; empty if there is none.
[[nodiscard]] std::string_view contradiction(const MemoryTiming& memory);

/// Assignment of the regions: the REGIONCFG and QCONFIG values that software writes for a memory mode.
struct MemoryMode {
  std::string name;  ///< Vela's name: Sram_Only, Shared_Sram, Dedicated_Sram
  int qconfig = 0;
  std::array<int, 8> regioncfg{};
  std::optional<std::uint64_t> arena_cache_size = {};  ///< bytes; absent: no limit

  /// 0: AXI0 (U85: SRAM), 1: AXI1 (U85: EXT). Region -1 is the command stream.
  [[nodiscard]] int side(int region) const { return (region < 0 ? qconfig : regioncfg.at(std::size_t(region))) >= 2; }
  /// Bytes of fast scratch (region 2) that a compiler may use; absent where the arena lies in the same memory or in a
  /// faster one (Vela ethosu/vela/architecture_features.py, is_spilling_enabled).
  [[nodiscard]] std::optional<std::uint64_t> fast_memory() const {
    if (side(1) != 1 || side(2) != 0) return std::nullopt;
    return arena_cache_size.value_or(UINT64_MAX);
  }
};

struct SystemConfig {
  std::string name, description, source;
  std::string vela_system;      ///< section [System_Config.*] of `source` with the values; empty: none
  std::string confidence;       ///< exact: registers of the platform; vendor: the vendor's file; fitted; assumed
  std::string checked_against;  ///< measurements that this system was compared with, in words
  double clock_hz = 0;
  std::vector<std::string> accelerators;  ///< accelerators that it is made for; empty: all
  bool is_default = false;                ///< default system of its accelerators
  std::array<MemoryTiming, 2> memory;     ///< [0] AXI0/SRAM, [1] AXI1/EXT
  std::vector<double> measured_ratios;    ///< ratios of measured to simulated cycles of networks
  std::size_t fitted_values = 0;          ///< number of values of the system fitted to bring these ratios near 1; fewer
                                          ///< than ratios
  std::string default_mode;
  std::vector<MemoryMode> modes;
  std::optional<CpuConfig> cpu = {};  ///< absent: not described

  /// Vela's size variants ("Dedicated_Sram_384KB") select the mode with another arena_cache_size. Absent if the system
  /// does not have the mode.
  [[nodiscard]] std::optional<MemoryMode> find_mode(std::string_view mode) const;
  /// Adds modes; existing modes of the same name are replaced.
  void add_modes(std::span<const MemoryMode> added);
};

/// configs/memory_modes.toml
[[nodiscard]] Result<std::vector<MemoryMode>> common_memory_modes();

/// Loads a file of configs/systems (built into the program, name without ".toml"), or a file of that form by its path.
[[nodiscard]] Result<SystemConfig> load_system_config(const std::string& name_or_path);
/// Unknown keys, values out of range and missing tables are kInvalidFile errors that name the key.
[[nodiscard]] Result<SystemConfig> parse_system_config(std::string_view toml, const std::string& name);
[[nodiscard]] std::vector<std::string> system_config_names();
/// Returns the name of the built-in default system of an accelerator, or "ideal" if there is none.
[[nodiscard]] std::string default_system(const Accelerator& accelerator);

/// The same system with ideal memory behind both sides (`--timing-adapter off`).
[[nodiscard]] SystemConfig without_timing_adapter(SystemConfig config);

}  // namespace macaw::npu
