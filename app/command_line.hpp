#pragma once
#include <span>

#include "app/command.hpp"

namespace macaw::app {

/// Runs the subcommand that the arguments name; returns the exit code.
int run_command_line(std::span<const AddSubcommand> subcommands, int argc, char** argv);

}  // namespace macaw::app
