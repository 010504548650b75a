#pragma once
#include <string>

namespace macaw::app {

/// The operators, the types they take and the profiles and extensions that each needs, as Markdown: docs/OPERATORS.md.
[[nodiscard]] std::string operator_table();

}  // namespace macaw::app
