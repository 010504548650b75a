#include "app/platform/streams.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <utility>

#include <macaw/temporary_file.hpp>

#include "app/command.hpp"

namespace macaw::app::platform {
namespace {

std::string lost_page_text;  // a signal handler must not allocate it

/// Called for a page of a mapped file that no longer exists.
extern "C" void end_without_page(int) {
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, lost_page_text.data(), lost_page_text.size());
  io::remove_temporaries();
  ::_exit(kInvalid);
}

}  // namespace

void prepare_standard_descriptors() {
  // Opened with the wrong access mode, so that using it remains an error.
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(descriptor, F_GETFD) == -1 && errno == EBADF)
      (void)::open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  for (const int signal : {SIGPIPE, SIGXFSZ}) ::signal(signal, SIG_IGN);
}

void end_on_closed_pipe() {
  ::signal(SIGPIPE, SIG_DFL);
  ::raise(SIGPIPE);
}

void end_on_lost_pages(std::string text) {
  lost_page_text = std::move(text);
  ::signal(SIGBUS, end_without_page);
}

}  // namespace macaw::app::platform
