#include "app/fvp/qemu.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "app/fvp/guest_memory.hpp"

namespace macaw::app::fvp {
namespace {

std::string semihosting(const Application& application) {
  std::string text = "enable=on,target=native";
  for (const std::string& argument : application.arguments) {
    text += ",arg=";
    // A comma in a value is written twice.
    for (const char c : argument) text += c == ',' ? std::string(",,") : std::string(1, c);
  }
  return text;
}

/// QEMU's options for the UARTs, whose sockets are `ends`.
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

std::vector<std::string> command_line(const Application& application, int ddr, int gdb, const Qemu::Sockets& uarts) {
  std::vector<std::string> words = {
      application.qemu,
      "-machine",
      "mps3-an547,memory-backend=ddr",
      "-object",
      fmt::format("memory-backend-file,id=ddr,size={},mem-path=/proc/self/fd/{},share=on", GuestMemory::kDdrBytes, ddr),
      "-display",
      "none",
      "-monitor",
      "none",
      "-chardev",
      fmt::format("socket,id=gdb,fd={}", gdb),
      "-gdb",
      "chardev:gdb",
      "-S",
      "-semihosting-config",
      semihosting(application),
      "-kernel",
      std::filesystem::absolute(application.elf).string()};
  connect_uarts(uarts, words);
  for (const PlacedFile& placed : application.data) {
    words.emplace_back("-device");
    words.push_back(fmt::format("loader,file={},addr={:#x},force-raw=on",
                                std::filesystem::absolute(placed.file).string(), placed.address));
  }
  return words;
}

/// In the child: ends with `parent`, takes the limits that the user's shell set, and becomes QEMU. Returns if it
/// cannot.
void become(const std::vector<std::string>& words, const std::string& folder, pid_t parent) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);
  rlimit limit = {};
  if (::getrlimit(RLIMIT_DATA, &limit) == 0) {
    limit.rlim_cur = limit.rlim_max;
    static_cast<void>(::setrlimit(RLIMIT_DATA, &limit));
  }
  if (!folder.empty() && ::chdir(folder.c_str()) != 0) return;
  std::vector<char*> pointers;
  for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  ::execvp(pointers[0], pointers.data());
}

void close_one(int& descriptor) {
  if (descriptor >= 0) ::close(descriptor);
  descriptor = -1;
}

/// A pair of sockets, of which the child keeps `end` alone.
bool open_pair(int& own, int& end) {
  std::array<int, 2> pair{-1, -1};
  if (::socketpair(AF_UNIX, SOCK_STREAM, 0, pair.data()) != 0) return false;
  own = pair[0];
  end = pair[1];
  return ::fcntl(own, F_SETFD, FD_CLOEXEC) == 0;
}

}  // namespace

Result<Qemu> Qemu::start(const Application& application, int ddr) {
  Qemu qemu;
  int gdb = -1;
  Sockets uarts;
  uarts.fill(-1);
  std::array<int, 2> outcome{-1, -1};
  bool opened = open_pair(qemu.gdb_, gdb) && ::pipe2(outcome.data(), O_CLOEXEC) == 0;
  for (std::size_t i = 0; i < uarts.size(); ++i)
    if (application.uarts[i].wanted()) opened = opened && open_pair(qemu.uarts_[i], uarts[i]);
  if (!opened) return fail(ErrorCode::kIo, fmt::format("no sockets: {}", std::strerror(errno)));
  const auto words = command_line(application, ddr, gdb, uarts);
  const pid_t parent = ::getpid();
  qemu.child_ = ::fork();
  if (qemu.child_ == 0) {
    become(words, application.folder, parent);
    const int error = errno;
    static_cast<void>(::write(outcome[1], &error, sizeof error));
    ::_exit(127);
  }
  for (int* one : {&gdb, &outcome[1]}) close_one(*one);
  for (int& one : uarts) close_one(one);
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

Qemu::Qemu(Qemu&& other) noexcept
    : child_(std::exchange(other.child_, -1)),
      gdb_(std::exchange(other.gdb_, -1)),
      uarts_(std::exchange(other.uarts_, Qemu().uarts_)) {}

Qemu::~Qemu() {
  if (child_ > 0) {
    ::kill(child_, SIGKILL);
    ::waitpid(child_, nullptr, 0);
  }
  close_one(gdb_);
  for (int& one : uarts_) close_one(one);
}

int Qemu::take_gdb() { return std::exchange(gdb_, -1); }

std::optional<int> Qemu::ended() {
  constexpr int kTries = 100;
  constexpr useconds_t kPause = 10'000;
  for (int i = 0; child_ > 0 && i < kTries; ++i) {
    int status = 0;
    if (::waitpid(child_, &status, WNOHANG) == child_) {
      child_ = -1;
      return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }
    ::usleep(kPause);
  }
  return std::nullopt;
}

}  // namespace macaw::app::fvp
