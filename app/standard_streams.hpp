#pragma once

namespace macaw::app {

/// Must be called before anything is opened: reserves closed descriptors 0 to 2, turns SIGPIPE into a write error, and
/// removes temporary files on signals that end the program.
void prepare_streams();

/// Returns `exit_code`, or `failure` with a message on stderr if standard output could not be written completely.
/// `cause`: error number of a write that failed before, or 0.
[[nodiscard]] int finish_output(int exit_code, int failure, int cause);

}  // namespace macaw::app
