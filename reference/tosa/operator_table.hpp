#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace macaw::tosa {

/// An operator and the types that it takes.
struct OperatorRow {
  std::string_view name;
  std::size_t type_rows = 0;       ///< combinations of types that the specification has
  std::size_t implemented = 0;     ///< of those, the ones with a kernel
  std::vector<std::string> types;  ///< each combination, its requirements, and the version that introduced it
};
[[nodiscard]] std::vector<OperatorRow> operator_rows();

/// The operators, the types they take and the profiles and extensions that each needs, as Markdown: docs/OPERATORS.md.
[[nodiscard]] std::string operator_table();

}  // namespace macaw::tosa
