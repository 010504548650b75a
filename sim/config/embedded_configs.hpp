#pragma once
#include <string_view>
#include <vector>

namespace macaw::npu {

/// A file of configs/systems: its name without ".toml", and its text.
struct EmbeddedConfig {
  std::string_view name, text;
};
[[nodiscard]] const std::vector<EmbeddedConfig>& embedded_systems();  ///< sorted by name

/// configs/memory_modes.toml
[[nodiscard]] std::string_view embedded_memory_modes();

}  // namespace macaw::npu
