#pragma once
#include <string>
#include <vector>

#include "app/options.hpp"

namespace macaw::app {

/// --range, for compare::parse_ranges().
void add_range_option(Command& command, std::vector<std::string>& ranges);

}  // namespace macaw::app
