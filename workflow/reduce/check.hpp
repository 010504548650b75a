#pragma once
#include <macaw/error.hpp>

#include <chrono>
#include <functional>
#include <string>

namespace macaw::reduce {

/// Result of a command.
struct Outcome {
  int exit_code = 0;  ///< 128 plus the signal's number if a signal ended it
  bool timed_out = false, cancelled = false;
  std::string output;  ///< combined standard output and error; long ones are cut in the middle
};

/// A word quoted for the shell, whatever its contents.
[[nodiscard]] std::string shell_quoted(const std::string& word);
/// The command with every {} replaced by the quoted file.
[[nodiscard]] std::string command_for(const std::string& command, const std::string& file);

/// Runs a command by /bin/sh, in its own process group and without standard input; the group is killed after `timeout`,
/// or when `cancelled` returns true. kIo if no process can be started.
[[nodiscard]] Result<Outcome> run_command(const std::string& command, std::chrono::milliseconds timeout,
                                          const std::function<bool()>& cancelled = {});

}  // namespace macaw::reduce
