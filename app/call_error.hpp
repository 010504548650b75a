#pragma once
#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace macaw::app {

/// Checks the names of subcommands in a call before it is parsed. Returns a message such as "macaw: unknown command
/// 'smi'; did you mean 'sim'?" or "macaw golden: missing subcommand; expected one of: ...", or nothing if they are
/// right.
[[nodiscard]] std::string wrong_command(CLI::App& app, const std::vector<std::string>& arguments);

/// Returns the message for a call that did not parse: a line that begins with the command, and a second one that names
/// its help. An unknown option is reported before a missing argument.
[[nodiscard]] std::string explain(CLI::App& app, const CLI::ParseError& error,
                                  const std::vector<std::string>& arguments);

}  // namespace macaw::app
