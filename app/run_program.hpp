#pragma once
#include "app/command_line.hpp"

namespace macaw::app {

/// Body of main(): runs the subcommand that the arguments name and reports whatever goes wrong; returns the exit
/// code.
int run_program(const Program& program, int argc, char** argv);

}  // namespace macaw::app
