#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace macaw::npu {

/// A table of comma-separated values: a line of column names, then rows. Quoted cells may hold commas, line ends and,
/// doubled, quotes (RFC 4180).
struct CsvTable {
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;

  [[nodiscard]] std::optional<std::size_t> column(std::string_view name) const;
};
[[nodiscard]] CsvTable parse_csv(std::string_view text);

}  // namespace macaw::npu
