#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace macaw::report {

/// Places of two lists that belong together; one of them absent: only the other list has it.
using Aligned = std::vector<std::pair<std::optional<std::size_t>, std::optional<std::size_t>>>;

/// The longest common subsequence of two lists of names is together; of the rest, equal names in their order. In the
/// order of `now`, what only `then` has after what was before it there.
[[nodiscard]] Aligned align(const std::vector<std::string>& then, const std::vector<std::string>& now);

}  // namespace macaw::report
