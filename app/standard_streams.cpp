#include "app/standard_streams.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

#include <macaw/temporary_file.hpp>

#include "app/command.hpp"

namespace macaw::app {

void prepare_streams() {
  // Opened the wrong way round, so that using one is still the error that it was.
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(descriptor, F_GETFD) == -1 && errno == EBADF)
      (void)::open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  // Writing to a closed pipe, or beyond the largest file that is allowed, is an error of that write.
  for (const int signal : {SIGPIPE, SIGXFSZ}) ::signal(signal, SIG_IGN);
  io::remove_temporaries_on_signals();
}

int finish_output(int exit_code, int failure, int cause) {
  const bool failed_before = std::ferror(stdout) != 0;
  errno = 0;
  if (std::fflush(stdout) == 0 && !failed_before) return exit_code;
  if (cause == 0) cause = errno;
  if (cause == EPIPE) {  // the reader has seen enough: "| head"
    ::signal(SIGPIPE, SIG_DFL);
    ::raise(SIGPIPE);
  }
  std::fprintf(stderr, "%smacaw: standard output: cannot write: %s\n", error_mark(),
               cause ? std::strerror(cause) : "unknown cause");
  return failure;
}

}  // namespace macaw::app
