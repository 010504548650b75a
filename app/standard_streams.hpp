#pragma once

namespace macaw::app {

/// Before anything is opened: descriptors 0 to 2 that are closed are given to nothing else, a closed pipe is an error
/// instead of a signal, and signals that end the program remove its temporary files.
void prepare_streams();

/// `exit_code`, or `failure` with a message on stderr if not everything could be written to standard output. `cause`:
/// the error number of a write that failed before, or 0.
[[nodiscard]] int finish_output(int exit_code, int failure, int cause);

}  // namespace macaw::app
