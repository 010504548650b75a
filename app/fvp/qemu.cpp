#include "app/fvp/qemu.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <sstream>
#include <utility>

#include "app/fvp/guest_memory.hpp"
#include "app/fvp/instruction_counter.hpp"

namespace macaw::app::fvp {
namespace {

std::string semihosting(const Application& application) {
  std::string text = application.semihosting ? "enable=on,target=gdb" : "enable=off";
  for (const std::string& argument : application.arguments) {
    text += ",arg=";
    // A comma in a value is written twice.
    for (const char c : argument) text += c == ',' ? std::string(",,") : std::string(1, c);
  }
  return text;
}

/// QEMU's options for the UARTs that are connected to `ends`.
void connect_uarts(const Qemu::Sockets& ends, std::vector<std::string>& words) {
  for (std::size_t i = 0; i < ends.size(); ++i) {
    if (ends[i] >= 0) {
      words.emplace_back("-chardev");
      words.push_back(fmt::format("socket,id=uart{},fd={}", i, ends[i]));
    }
    words.emplace_back("-serial");
    words.push_back(ends[i] >= 0 ? fmt::format("chardev:uart{}", i) : "null");
  }
}

/// Descriptors that QEMU inherits and keeps.
struct Ends {
  int gdb = -1, interrupt = -1, messages = -1;
  Qemu::Sockets uarts;
};

std::vector<std::string> command_line(const Application& application, int ddr, const Ends& ends) {
  std::vector<std::string> words = {
      application.qemu,
      "-no-user-config",
      "-nodefaults",
      "-nic",
      "none",
      "-sandbox",
      "on,obsolete=deny,elevateprivileges=deny,spawn=deny,resourcecontrol=deny",
      "-machine",
      "mps3-an547,memory-backend=ddr",
      "-object",
      fmt::format("memory-backend-file,id=ddr,size={},mem-path=/proc/self/fd/{},share=on", GuestMemory::kDdrBytes, ddr),
      "-display",
      "none",
      "-monitor",
      "none",
      "-chardev",
      fmt::format("socket,id=gdb,fd={}", ends.gdb),
      "-gdb",
      "chardev:gdb",
      "-chardev",
      fmt::format("socket,id=interrupt,fd={}", ends.interrupt),
      "-object",
      "qtest,id=qtest,chardev=interrupt",
      "-S",
      "-semihosting-config",
      semihosting(application)};
  if (!application.instructions.empty()) {
    words.emplace_back("-icount");
    words.emplace_back(InstructionCounter::kIcount);
  }
  connect_uarts(ends.uarts, words);
  for (const auto* images : {&application.images, &application.data})
    for (const Image& image : *images) {
      words.emplace_back("-device");
      words.push_back(fmt::format("loader,file={}", image.file));
      if (image.kind == Image::Kind::kRaw) words.back() += fmt::format(",addr={:#x},force-raw=on", image.address);
    }
  return words;
}

/// In the child: ends with `parent`, applies the user's limits, disables core files, prints to `messages`, and executes
/// QEMU. Returns on failure.
void become(const std::vector<std::string>& words, int messages, pid_t parent) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);
  rlimit limit = {};
  if (::getrlimit(RLIMIT_DATA, &limit) == 0) {
    limit.rlim_cur = limit.rlim_max;
    static_cast<void>(::setrlimit(RLIMIT_DATA, &limit));
  }
  const rlimit no_core = {0, 0};
  static_cast<void>(::setrlimit(RLIMIT_CORE, &no_core));
  const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (::dup2(nothing, STDIN_FILENO) < 0 || ::dup2(messages, STDOUT_FILENO) < 0 || ::dup2(messages, STDERR_FILENO) < 0)
    return;
  std::vector<char*> pointers;
  for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  ::execvp(pointers[0], pointers.data());
}

void close_one(int& descriptor) {
  if (descriptor >= 0) ::close(descriptor);
  descriptor = -1;
}

/// A pair of sockets; the child keeps only `end`.
bool open_pair(int& own, int& end) {
  std::array<int, 2> pair{-1, -1};
  if (::socketpair(AF_UNIX, SOCK_STREAM, 0, pair.data()) != 0) return false;
  own = pair[0];
  end = pair[1];
  return ::fcntl(own, F_SETFD, FD_CLOEXEC) == 0;
}

constexpr std::size_t kMostMessages = std::size_t{1} << 16;

/// The first line that is not a warning, empty if there is none.
std::string first_message(const std::string& printed) {
  std::istringstream lines(printed);
  for (std::string line; std::getline(lines, line);)
    if (!line.empty() && line.find("warning:") == std::string::npos) return line;
  return {};
}

}  // namespace

Result<Qemu> Qemu::start(const Application& application, int ddr) {
  Qemu qemu;
  qemu.program_ = application.qemu;
  Ends ends;
  ends.uarts.fill(-1);
  std::array<int, 2> outcome{-1, -1};
  bool opened = open_pair(qemu.gdb_, ends.gdb) && open_pair(qemu.interrupt_, ends.interrupt) &&
                open_pair(qemu.messages_, ends.messages) && ::pipe2(outcome.data(), O_CLOEXEC) == 0;
  for (std::size_t i = 0; i < ends.uarts.size(); ++i)
    if (application.uarts[i].is_used()) opened = opened && open_pair(qemu.uarts_[i], ends.uarts[i]);
  if (!opened) return fail(ErrorCode::kIo, fmt::format("no sockets: {}", std::strerror(errno)));
  const auto words = command_line(application, ddr, ends);
  const pid_t parent = ::getpid();
  qemu.child_ = ::fork();
  if (qemu.child_ == 0) {
    become(words, ends.messages, parent);
    const int error = errno;
    static_cast<void>(::write(outcome[1], &error, sizeof error));
    ::_exit(127);
  }
  for (int* one : {&ends.gdb, &ends.interrupt, &ends.messages, &outcome[1]}) close_one(*one);
  for (int& one : ends.uarts) close_one(one);
  int error = 0;
  const bool failed = qemu.child_ < 0 || ::read(outcome[0], &error, sizeof error) > 0;
  close_one(outcome[0]);
  if (failed)
    return fail(
        ErrorCode::kUnsupported,
        fmt::format("cannot start '{}' ({}): the platform is QEMU's machine mps3-an547, Debian package qemu-system-arm",
                    application.qemu, std::strerror(error)));
  return qemu;
}

double Qemu::cpu_seconds() const {
  clockid_t clock = {};
  timespec time = {};
  if (child_ <= 0 || ::clock_getcpuclockid(child_, &clock) != 0 || ::clock_gettime(clock, &time) != 0) return 0;
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

Qemu::Qemu(Qemu&& other) noexcept
    : child_(std::exchange(other.child_, -1)),
      gdb_(std::exchange(other.gdb_, -1)),
      interrupt_(std::exchange(other.interrupt_, -1)),
      messages_(std::exchange(other.messages_, -1)),
      uarts_(std::exchange(other.uarts_, Qemu().uarts_)),
      program_(std::move(other.program_)),
      printed_(std::move(other.printed_)) {}

Qemu::~Qemu() {
  if (child_ > 0) {
    ::kill(child_, SIGKILL);
    ::waitpid(child_, nullptr, 0);
  }
  for (int* one : {&gdb_, &interrupt_, &messages_}) close_one(*one);
  for (int& one : uarts_) close_one(one);
}

int Qemu::take_gdb() { return std::exchange(gdb_, -1); }

int Qemu::take_interrupt() { return std::exchange(interrupt_, -1); }

void Qemu::read_messages() {
  char text[4096];
  const ssize_t got = ::recv(messages_, text, sizeof text, MSG_DONTWAIT);
  if (got > 0) printed_.append(text, std::min(static_cast<std::size_t>(got), kMostMessages - printed_.size()));
  else if (got == 0) close_one(messages_);
}

Error Qemu::end_of_run() {
  constexpr int kTries = 100;
  constexpr useconds_t kPause = 10'000;
  int status = 0;
  for (int i = 0; child_ > 0 && i < kTries; ++i) {
    if (messages_ >= 0) read_messages();
    if (::waitpid(child_, &status, WNOHANG) == child_) child_ = -1;
    else ::usleep(kPause);
  }
  if (child_ > 0) return {ErrorCode::kIo, "QEMU does not answer", {}};
  for (pollfd wait{messages_, POLLIN, 0}; messages_ >= 0 && ::poll(&wait, 1, 0) > 0;) read_messages();
  if (printed_.find("Lockup:") != std::string::npos)
    return {ErrorCode::kHardwareFault,
            "the CPU locked up: the application does not handle a fault; is it built for another platform?",
            {}};
  const std::string message = first_message(printed_);
  return {ErrorCode::kUnsupported,
          fmt::format("{} ended before the application did, {} {}{}{}", program_,
                      WIFEXITED(status) ? "with exit code" : "by signal",
                      WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status), message.empty() ? "" : ": ", message),
          {}};
}

}  // namespace macaw::app::fvp
