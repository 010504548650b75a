#pragma once
#include <string_view>
#include <vector>

namespace macaw::inference {

/// A file of configs/cpu: its name without ".toml", and its text.
struct EmbeddedTable {
  std::string_view name, text;
};
[[nodiscard]] const std::vector<EmbeddedTable>& embedded_tables();  ///< sorted by name

}  // namespace macaw::inference
