#pragma once
#include <span>

#include "app/command.hpp"

namespace macaw::app {

struct Subcommand {
  const char* group;  ///< heading under which help lists it
  AddSubcommand add;
};

/// A program with subcommands, and its help.
struct Program {
  const char* name;
  const char* description;
  const char* footer;
  std::span<const Subcommand> subcommands;
};

/// Runs the subcommand that the arguments name; returns the exit code.
int run_command_line(const Program& program, int argc, char** argv);

}  // namespace macaw::app
