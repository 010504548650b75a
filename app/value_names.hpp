#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace macaw::app {

/// Placeholder for the value of an option in the help, by the option's name without dashes: the same in every
/// subcommand; "TEXT" for those that have no name of their own.
[[nodiscard]] std::string_view value_name_of(std::string_view option);

/// The values that there are, for completion: of ACCELERATOR, SYSTEM and TABLE. Empty: any, or files.
[[nodiscard]] std::vector<std::string> known_values(std::string_view value_name);

}  // namespace macaw::app
