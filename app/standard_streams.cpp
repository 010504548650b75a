#include "app/standard_streams.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include <macaw/temporary_file.hpp>

#include "app/command.hpp"
#include "app/platform/streams.hpp"

namespace macaw::app {

void prepare_streams() {
  platform::prepare_standard_descriptors();
  io::remove_temporaries_on_signals();
}

int finish_output(int exit_code, int failure, int cause) {
  const bool failed_before = std::ferror(stdout) != 0;
  errno = 0;
  if (std::fflush(stdout) == 0 && !failed_before) return exit_code;
  if (cause == 0) cause = errno;
  if (cause == EPIPE) platform::end_on_closed_pipe();
  std::fprintf(stderr, "%smacaw: standard output: cannot write: %s\n", error_mark(),
               cause ? std::strerror(cause) : "unknown cause");
  return failure;
}

}  // namespace macaw::app
