#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace macaw::io {

/// One word of a shell, in single quotes.
[[nodiscard]] std::string in_single_quotes(std::string_view word);

/// A call as it can be given to a shell: words in quotes where they need them.
[[nodiscard]] std::string shell_line(const std::vector<std::string>& words);

}  // namespace macaw::io
