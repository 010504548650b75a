#include "base/platform/files.hpp"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>

namespace macaw::platform {
namespace {

bool is_large(const struct stat& status, std::size_t least) {
  return S_ISREG(status.st_mode) && static_cast<std::size_t>(status.st_size) >= least;
}

}  // namespace

MappedBytes map_regular_file(const std::filesystem::path& file, std::size_t least) {
  struct stat status = {};
  // Opening a FIFO would be seen at its other end.
  if (::stat(file.c_str(), &status) != 0 || !is_large(status, least)) return {};
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return {};
  MappedBytes mapped;
  if (::fstat(descriptor, &status) == 0 && is_large(status, least)) {
    const auto size = static_cast<std::size_t>(status.st_size);
    if (void* begin = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0); begin != MAP_FAILED)
      mapped = {{static_cast<const std::byte*>(begin), size},
                std::shared_ptr<const void>(begin, [size](void* pages) { ::munmap(pages, size); })};
  }
  ::close(descriptor);
  return mapped;
}

int rename_to_new(const char* from, const char* to) {
  return ::renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0 ? 0 : errno;
}

void set_permissions(int descriptor, std::filesystem::perms permissions) {
  (void)::fchmod(descriptor, static_cast<mode_t>(permissions));
}

std::optional<std::uint64_t> random_bits() {
  std::uint64_t bits = 0;
  if (::getrandom(&bits, sizeof bits, 0) != ssize_t{sizeof bits}) return std::nullopt;
  return bits;
}

void handle_ending_signals(void (*handler)(int)) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXCPU}) {
    struct sigaction before = {};
    if (::sigaction(signal, nullptr, &before) == 0 && before.sa_handler == SIG_IGN) continue;
    struct sigaction action = {};
    action.sa_handler = handler;
    ::sigaction(signal, &action, nullptr);
  }
}

void end_by_signal(int signal) {
  ::signal(signal, SIG_DFL);
  ::raise(signal);
}

std::optional<std::size_t> window_columns() {
  winsize size = {};
  if (::isatty(STDOUT_FILENO) != 1 || ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
    return std::nullopt;
  return size.ws_col;
}

std::optional<std::uint64_t> memory_limit() {
  rlimit limit = {};
  if (::getrlimit(RLIMIT_DATA, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return std::nullopt;
  return limit.rlim_cur;
}

}  // namespace macaw::platform
