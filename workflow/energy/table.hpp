#pragma once
#include <macaw/error.hpp>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "workflow/energy/events.hpp"

namespace macaw::energy {

struct Range {
  double low = 0, high = 0;
};

/// Energy of one event.
struct Cost {
  const Event* event = nullptr;
  Range picojoules;
  std::string source;
};

/// A file of configs/energy, or one in that format (docs/FORMATS.md).
struct Table {
  std::string name, description;
  std::vector<Cost> costs;
};

/// A name of configs/energy, or the path of a .toml file.
///
/// Errors: kUsage for an unknown name; those of the file; kInvalidFile for a cost that is a single figure, has no
/// source, or is missing from the Accelergy table.
[[nodiscard]] Result<Table> load_table(const std::string& name_or_path);
/// `folder`: location of the file and of Accelergy's table.
[[nodiscard]] Result<Table> parse_table(std::string_view toml, const std::string& name,
                                        const std::filesystem::path& folder);
[[nodiscard]] std::vector<std::string> table_names();

}  // namespace macaw::energy
