#pragma once
#include <macaw/error.hpp>

#include <chrono>
#include <functional>
#include <string>

namespace macaw::reduce {

/// How a command ended.
struct Outcome {
  int exit_code = 0;  ///< 128 and the signal's number if a signal ended it
  bool timed_out = false, cancelled = false;
  std::string output;  ///< standard output and error together; of long ones the beginning and the end
};

/// A word that a shell takes as it is, whatever is in it.
[[nodiscard]] std::string shell_quoted(const std::string& word);
/// The command with every {} replaced by the quoted file.
[[nodiscard]] std::string command_for(const std::string& command, const std::string& file);

/// Runs a command by /bin/sh, in a group of processes of its own and without standard input; after `timeout`, or once
/// `cancelled` says so, the group is killed. kIo if no process can be started.
[[nodiscard]] Result<Outcome> run_command(const std::string& command, std::chrono::milliseconds timeout,
                                          const std::function<bool()>& cancelled = {});

}  // namespace macaw::reduce
