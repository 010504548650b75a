#pragma once
#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace macaw::app {

/// What is wrong with the words of a call that name subcommands, before it is parsed: "macaw: unknown command 'smi';
/// did you mean 'sim'?", "macaw list: missing argument: one of ..."; empty: nothing.
[[nodiscard]] std::string wrong_command(CLI::App& app, const std::vector<std::string>& arguments);

/// What is wrong with a call that did not parse, in one line that begins with the command, and the help that explains
/// it in a second. An unknown option comes before a missing argument.
[[nodiscard]] std::string explain(CLI::App& app, const CLI::ParseError& error,
                                  const std::vector<std::string>& arguments);

}  // namespace macaw::app
