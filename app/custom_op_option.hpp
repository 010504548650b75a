#pragma once
#include <macaw/error.hpp>

#include <string>
#include <vector>

#include "app/options.hpp"

namespace macaw::app {

/// --custom-op-lib LIBRARY for the commands that run TOSA graphs; tosa_reference_model calls it --custom_op_lib_path.
void add_custom_op_option(Command command, std::vector<std::string>& libraries);
/// Loads the libraries.
[[nodiscard]] Result<void> load_custom_ops(const std::vector<std::string>& libraries);

}  // namespace macaw::app
