#include "workflow/reduce/check.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;  // NOLINT(readability-redundant-declaration): POSIX has it in no header

namespace macaw::reduce {
namespace {

constexpr std::size_t kMostOutput = std::size_t{1} << 20;  ///< of the beginning, and of the end
constexpr int kPollMs = 10;

/// An end of a pipe, or none.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&&) = delete;
  ~Descriptor() { close(); }

  [[nodiscard]] int number() const { return number_; }
  void close() {
    if (number_ >= 0) ::close(std::exchange(number_, -1));
  }

 private:
  int number_;
};

/// Text of which the middle is dropped where it becomes too long.
class Output {
 public:
  void add(const char* bytes, std::size_t count) {
    const auto room = std::min(count, kMostOutput - std::min(begin_.size(), kMostOutput));
    begin_.append(bytes, room);
    end_.append(bytes + room, count - room);
    if (end_.size() > 2 * kMostOutput) end_.erase(0, end_.size() - kMostOutput);
  }
  [[nodiscard]] std::string text() const { return begin_ + end_; }

 private:
  std::string begin_, end_;
};

/// Reads what is there; false once the pipe has no writer.
bool read_some(int pipe, Output& output) {
  std::array<char, 1 << 16> buffer;
  for (;;) {
    const auto count = ::read(pipe, buffer.data(), buffer.size());
    if (count > 0) output.add(buffer.data(), static_cast<std::size_t>(count));
    else return count != 0 && (errno == EAGAIN || errno == EINTR);
  }
}

Result<pid_t> start(const std::string& command, int output) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawnattr_init(&attributes);
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO);
  // The caller may handle or ignore signals that end a command.
  sigset_t defaults, none;
  ::sigemptyset(&none);
  ::sigemptyset(&defaults);
  for (const int signal : {SIGINT, SIGTERM, SIGPIPE, SIGQUIT, SIGHUP}) ::sigaddset(&defaults, signal);
  ::posix_spawnattr_setsigdefault(&attributes, &defaults);
  ::posix_spawnattr_setsigmask(&attributes, &none);
  ::posix_spawnattr_setpgroup(&attributes, 0);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  std::array<std::string, 3> words{"sh", "-c", command};
  std::array<char*, 4> arguments{words[0].data(), words[1].data(), words[2].data(), nullptr};
  pid_t process = 0;
  const int error = ::posix_spawn(&process, "/bin/sh", &actions, &attributes, arguments.data(), environ);
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return fail(ErrorCode::kIo, std::generic_category().message(error), {.file = "/bin/sh"});
  return process;
}

int exit_code_of(int status) { return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status); }

}  // namespace

std::string shell_quoted(const std::string& word) {
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string command_for(const std::string& command, const std::string& file) {
  std::string text;
  std::size_t from = 0;
  for (auto at = command.find("{}"); at != std::string::npos; at = command.find("{}", from)) {
    text += command.substr(from, at - from) + shell_quoted(file);
    from = at + 2;
  }
  return text + command.substr(from);
}

Result<Outcome> run_command(const std::string& command, std::chrono::milliseconds timeout,
                            const std::function<bool()>& cancelled) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return fail(ErrorCode::kIo, std::strerror(errno), {.file = "a pipe"});
  const Descriptor from(ends[0]);
  Descriptor to(ends[1]);
  ::fcntl(from.number(), F_SETFL, O_NONBLOCK);
  MACAW_ASSIGN(const pid_t process, start(command, to.number()));
  to.close();
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  Outcome outcome;
  Output output;
  int status = 0;
  for (bool open = true;;) {
    if (open) {
      pollfd waited{from.number(), POLLIN, 0};
      ::poll(&waited, 1, kPollMs);
      open = read_some(from.number(), output);
    } else {
      ::poll(nullptr, 0, kPollMs);
    }
    if (::waitpid(process, &status, WNOHANG) == process) break;
    outcome.cancelled = cancelled && cancelled();
    outcome.timed_out = std::chrono::steady_clock::now() >= deadline;
    if (!outcome.cancelled && !outcome.timed_out) continue;
    ::kill(-process, SIGKILL);
    while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
    }
    break;
  }
  ::kill(-process, SIGKILL);  // what the command left behind
  read_some(from.number(), output);
  outcome.exit_code = exit_code_of(status);
  outcome.output = output.text();
  return outcome;
}

}  // namespace macaw::reduce
