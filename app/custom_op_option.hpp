#pragma once
#include <macaw/error.hpp>

#include <string>
#include <vector>

#include "app/options.hpp"

namespace macaw::app {

/// --custom-op-lib LIBRARY of the commands that run TOSA graphs; --custom_op_lib_path is tosa_reference_model's name.
void add_custom_op_option(Command command, std::vector<std::string>& libraries);
/// Loads what the option named.
[[nodiscard]] Result<void> load_custom_ops(const std::vector<std::string>& libraries);

}  // namespace macaw::app
