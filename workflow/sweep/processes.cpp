#include "workflow/sweep/processes.hpp"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <map>

namespace macaw::sweep {
namespace {

void set_limits(const Limits& limits) {
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

/// The child's number; negative if there can be none.
pid_t start(const Limits& limits, const std::function<void()>& work) {
  std::fflush(nullptr);
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child != 0) return child;
  // The signal that removes what is half written, if the caller has not turned it off (nohup).
  struct sigaction end = {};
  const bool ends = ::sigaction(SIGTERM, nullptr, &end) == 0 && end.sa_handler != SIG_IGN;
  ::prctl(PR_SET_PDEATHSIG, ends ? SIGTERM : SIGKILL);
  if (::getppid() != parent) ::_exit(1);
  set_limits(limits);
  work();
  ::_exit(0);
}

std::string why(int status, const Limits& limits) {
  if (WIFEXITED(status)) return WEXITSTATUS(status) == 0 ? "" : fmt::format("ended with {}", WEXITSTATUS(status));
  if (WTERMSIG(status) == SIGALRM) return fmt::format("took more than {} s", limits.seconds);
  return fmt::format("ended by signal {} ({})", WTERMSIG(status), ::strsignal(WTERMSIG(status)));
}

}  // namespace

Result<void> run_each(std::size_t count, unsigned jobs, const Limits& limits,
                      const std::function<void(std::size_t)>& work,
                      const std::function<Result<void>(std::size_t, const std::string&)>& done) {
  std::map<pid_t, std::size_t> children;
  Result<void> failed;
  for (std::size_t next = 0; (next < count && failed) || !children.empty();) {
    while (failed && next < count && children.size() < jobs) {
      const pid_t child = start(limits, [&] { work(next); });
      if (child < 0 && children.empty())
        return fail(ErrorCode::kIo, fmt::format("no process: {}", std::strerror(errno)));
      if (child < 0) break;
      children[child] = next++;
    }
    int status = 0;
    const pid_t ended = ::waitpid(-1, &status, 0);
    const auto child = children.find(ended);
    if (child == children.end()) continue;
    const auto index = child->second;
    children.erase(child);
    if (auto taken = done(index, why(status, limits)); !taken && failed) failed = std::move(taken);
  }
  return failed;
}

}  // namespace macaw::sweep
