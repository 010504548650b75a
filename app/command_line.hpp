#pragma once
#include <span>

#include "app/command.hpp"

namespace macaw::app {

struct Subcommand {
  const char* name;
  AddSubcommand add;  ///< null: not linked into this program
};

/// Runs the subcommand that the words of a call name; the exit code.
int run_command_line(std::span<const Subcommand> subcommands, int argc, char** argv);

}  // namespace macaw::app
