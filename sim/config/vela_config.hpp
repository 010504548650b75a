#pragma once
#include "sim/config/system_config.hpp"

#include <map>

namespace macaw::npu {

/// Systems and memory modes of a Vela configuration file (vela.ini; its OPTIONS.md, "Configuration file"): core_clock,
/// axi0_port and axi1_port with clock_scale, ports_used, burst_length, latencies and outstanding limits of the memories
/// there, the three memory areas of a mode, and inherit.
///
/// clock_scale and ports_used determine the memory's bandwidth, burst_length its shortest efficient access, max_reads
/// and max_writes its limits; 0 means no limit. Absent values are Vela's defaults. arena_cache_size limits the compiler
/// and has no effect on a simulation. A region with an AXI number of 2 or more is AXI1, as the driver configures them.
///
/// A section may exist only to be inherited from, so it is checked when it is requested. kInvalidFile names section and
/// key: keys that Vela does not have, values out of range, an inherit that leads nowhere or back to itself.
class VelaConfig {
 public:
  /// kInvalidFile if the text is malformed, or has sections other than [System_Config.*] and [Memory_Mode.*].
  [[nodiscard]] static Result<VelaConfig> parse(const std::string& text, const std::string& file);
  [[nodiscard]] static Result<VelaConfig> load(const std::string& path);

  /// Names without "System_Config." and "Memory_Mode.", sorted.
  [[nodiscard]] std::vector<std::string> systems() const;
  [[nodiscard]] std::vector<std::string> modes() const;
  /// The name must exist. A system has the memory modes of configs/memory_modes.toml, none of which is the default.
  [[nodiscard]] Result<SystemConfig> system(const std::string& name) const;
  [[nodiscard]] Result<MemoryMode> mode(const std::string& name) const;

  using Section = std::map<std::string, std::string>;

 private:
  [[nodiscard]] tl::unexpected<Error> error(const std::string& text) const;
  [[nodiscard]] Result<Section> resolve(const std::string& section) const;

  std::string file_;
  std::map<std::string, Section> sections_;
};

}  // namespace macaw::npu
