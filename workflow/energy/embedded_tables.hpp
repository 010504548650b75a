#pragma once
#include <string_view>
#include <vector>

namespace macaw::energy {

/// A file of configs/energy: its name without ".toml", and its text.
struct EmbeddedTable {
  std::string_view name, text;
};
[[nodiscard]] const std::vector<EmbeddedTable>& embedded_tables();  ///< sorted by name

}  // namespace macaw::energy
