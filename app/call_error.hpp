#pragma once
#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace macaw::app {

/// Reports wrong subcommand names in a command line before it is parsed: "macaw: unknown command 'smi';
/// did you mean 'sim'?", "macaw list: missing argument: one of ..."; empty: nothing.
[[nodiscard]] std::string wrong_command(CLI::App& app, const std::vector<std::string>& arguments);

/// Describes a command line that did not parse in one line that begins with the command, and the help that explains
/// it in a second. An unknown option comes before a missing argument.
[[nodiscard]] std::string explain(CLI::App& app, const CLI::ParseError& error,
                                  const std::vector<std::string>& arguments);

}  // namespace macaw::app
