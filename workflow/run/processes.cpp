#include "workflow/run/processes.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <vector>

namespace macaw::run {
namespace {

/// A process that does one piece of work and writes its answer into a pipe.
struct Child {
  pid_t process = -1;
  int pipe = -1;
  std::size_t at = 0;
  std::string answer = {};
};

bool write_all(int file, const std::string& text) {
  for (std::size_t at = 0; at < text.size();) {
    const auto written = ::write(file, text.data() + at, text.size() - at);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    at += static_cast<std::size_t>(written);
  }
  return true;
}

void set_limits(const ProcessLimits& limits) {
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // which take memory of their own
  const rlimit memory{limits.memory, limits.memory};
  ::setrlimit(RLIMIT_AS, &memory);
#endif
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  itimerval timer{};
  const double whole = std::floor(limits.seconds);
  timer.it_value.tv_sec = static_cast<time_t>(whole);
  timer.it_value.tv_usec = static_cast<suseconds_t>((limits.seconds - whole) * 1e6);
  std::signal(SIGALRM, SIG_DFL);
  ::setitimer(ITIMER_REAL, &timer, nullptr);
}

[[noreturn]] void serve(pid_t parent, int pipe, const PoolOptions& options,
                        const std::function<std::string(std::size_t)>& work, std::size_t at) {
  // The signal that removes what is half written, if the caller has not turned it off (nohup).
  struct sigaction end = {};
  const bool ends = ::sigaction(SIGTERM, nullptr, &end) == 0 && end.sa_handler != SIG_IGN;
  ::prctl(PR_SET_PDEATHSIG, ends ? SIGTERM : SIGKILL);
  if (::getppid() != parent) ::_exit(1);
  if (options.limits) set_limits(*options.limits);
  ::_exit(write_all(pipe, work(at)) ? 0 : 1);
}

/// Nothing where the system has no pipe or process to give, as errno says.
std::optional<Child> start(const PoolOptions& options, const std::function<std::string(std::size_t)>& work,
                           std::size_t at) {
  // Programs that a child starts do not keep its pipe open.
  std::array<int, 2> ends{-1, -1};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return std::nullopt;
  std::fflush(nullptr);
  const pid_t parent = ::getpid(), process = ::fork();
  if (process == 0) {
    ::close(ends[0]);
    serve(parent, ends[1], options, work, at);
  }
  const int reason = errno;
  ::close(ends[1]);
  if (process > 0) return Child{process, ends[0], at};
  ::close(ends[0]);
  errno = reason;
  return std::nullopt;
}

/// Takes what a child has written of its answer; false at its end.
bool receive(Child& child) {
  std::array<char, 65536> buffer{};
  const auto size = ::read(child.pipe, buffer.data(), buffer.size());
  if (size < 0 && errno == EINTR) return true;
  if (size <= 0) return false;
  child.answer.append(buffer.data(), static_cast<std::size_t>(size));
  return true;
}

std::string why(int status, const PoolOptions& options) {
  if (WIFEXITED(status)) return WEXITSTATUS(status) == 0 ? "" : fmt::format("ended with {}", WEXITSTATUS(status));
  if (WTERMSIG(status) == SIGALRM && options.limits) return fmt::format("took more than {} s", options.limits->seconds);
  return fmt::format("ended by signal {} ({})", WTERMSIG(status), ::strsignal(WTERMSIG(status)));
}

ProcessEnd end_of(Child child, const PoolOptions& options) {
  ::close(child.pipe);
  int status = 0;
  while (::waitpid(child.process, &status, 0) < 0 && errno == EINTR) {
  }
  return {std::move(child.answer), why(status, options)};
}

}  // namespace

Result<void> run_in_processes(std::size_t count, const PoolOptions& options,
                              const std::function<std::string(std::size_t)>& work,
                              const std::function<Result<void>(std::size_t, const ProcessEnd&)>& done) {
  const bool needs_processes = options.limits || (options.jobs > 1 && count > 1);
  std::vector<Child> children;
  Result<void> result;
  const auto take = [&](std::size_t at, const ProcessEnd& end) {
    if (auto taken = done(at, end); !taken && result) result = std::move(taken);
  };
  for (std::size_t next = 0; (next < count && result) || !children.empty();) {
    while (needs_processes && result && next < count && children.size() < options.jobs) {
      auto child = start(options, work, next);
      if (!child) break;
      children.push_back(*std::move(child));
      ++next;
    }
    if (children.empty()) {
      if (options.limits) return fail(ErrorCode::kIo, fmt::format("no process: {}", std::strerror(errno)));
      take(next, {work(next), {}});
      ++next;
      continue;
    }
    std::vector<pollfd> files;
    for (const auto& child : children) files.push_back({child.pipe, POLLIN, 0});
    if (::poll(files.data(), files.size(), -1) < 0) continue;
    for (std::size_t i = files.size(); i-- > 0;) {
      if (files[i].revents == 0 || receive(children[i])) continue;
      auto child = std::move(children[i]);
      children.erase(children.begin() + static_cast<std::ptrdiff_t>(i));
      const auto at = child.at;
      take(at, end_of(std::move(child), options));
    }
  }
  return result;
}

}  // namespace macaw::run
