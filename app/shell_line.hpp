#pragma once
#include <string>
#include <vector>

namespace macaw::app {

/// A call as it can be given to a shell: words in quotes where they need them.
[[nodiscard]] std::string shell_line(const std::vector<std::string>& words);

}  // namespace macaw::app
