#include "workflow/golden/processes.hpp"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <vector>

namespace macaw::golden {
namespace {

/// A child that works on one thing at a time: it reads a number, it writes the length of an answer and the answer.
struct Child {
  pid_t process = -1;
  int to = -1, from = -1;
  std::size_t at = 0;
  std::string answer;
};

bool write_all(int file, const void* data, std::size_t size) {
  const auto* next = static_cast<const char*>(data);
  while (size != 0) {
    const auto written = ::write(file, next, size);
    if (written <= 0) return false;
    next += written;
    size -= static_cast<std::size_t>(written);
  }
  return true;
}

[[noreturn]] void serve(int from, int to, const std::function<std::string(std::size_t)>& work) {
  std::size_t index = 0;
  while (::read(from, &index, sizeof index) == ssize_t{sizeof index}) {
    const auto answer = work(index);
    const auto size = answer.size();
    if (!write_all(to, &size, sizeof size) || !write_all(to, answer.data(), size)) break;
  }
  ::_exit(0);
}

void close_both(const std::array<int, 2>& pipe) {
  for (const int end : pipe)
    if (end >= 0) ::close(end);
}

/// Its children inherit the ends of the pipes that others write to: they are closed, so that each sees its own end.
/// Nothing where the system has no pipe or process to give.
std::optional<Child> start(const std::vector<Child>& others, const std::function<std::string(std::size_t)>& work) {
  std::array<int, 2> to{-1, -1}, from{-1, -1};
  const pid_t parent = ::getpid();
  pid_t process = -1;
  if (::pipe(to.data()) == 0 && ::pipe(from.data()) == 0) {
    std::fflush(nullptr);
    process = ::fork();
  }
  if (process < 0) {
    close_both(to);
    close_both(from);
    return std::nullopt;
  }
  if (process == 0) {
    // What nobody waits for any longer is not computed to its end.
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(1);
    for (const auto& other : others) {
      ::close(other.to);
      ::close(other.from);
    }
    ::close(to[1]);
    ::close(from[0]);
    serve(to[0], from[1], work);
  }
  ::close(to[0]);
  ::close(from[1]);
  return Child{process, to[1], from[0], 0, {}};
}

void end(const Child& child) {
  ::close(child.to);
  ::close(child.from);
  ::waitpid(child.process, nullptr, 0);
}

/// What a child has written of its answer; false at its end.
bool receive(Child& child) {
  std::array<char, 65536> buffer{};
  const auto size = ::read(child.from, buffer.data(), buffer.size());
  if (size <= 0) return false;
  child.answer.append(buffer.data(), static_cast<std::size_t>(size));
  return true;
}

std::optional<std::string> whole_answer(const Child& child) {
  std::size_t size = 0;
  if (child.answer.size() < sizeof size) return std::nullopt;
  std::copy_n(child.answer.data(), sizeof size, reinterpret_cast<char*>(&size));
  if (child.answer.size() - sizeof size < size) return std::nullopt;
  return child.answer.substr(sizeof size);
}

}  // namespace

void in_processes(std::size_t count, unsigned jobs, const std::function<std::string(std::size_t)>& work,
                  const std::function<void(std::size_t, std::optional<std::string>)>& done) {
  if (jobs <= 1 || count <= 1) {
    for (std::size_t i = 0; i < count; ++i) done(i, work(i));
    return;
  }
  std::size_t next = 0;
  std::vector<Child> children;
  const auto give = [&](Child& child) {
    if (next == count) return false;
    child.at = next++;
    child.answer.clear();
    return write_all(child.to, &child.at, sizeof child.at);
  };
  const auto add = [&] {
    auto child = start(children, work);
    if (!child) return false;
    children.push_back(*std::move(child));
    give(children.back());
    return true;
  };
  while (children.size() < std::min<std::size_t>(jobs, count) && add()) {
  }
  while (!children.empty()) {
    std::vector<pollfd> files;
    for (const auto& child : children) files.push_back({child.from, POLLIN, 0});
    if (::poll(files.data(), files.size(), -1) < 0) continue;
    for (std::size_t i = files.size(); i-- > 0;) {
      if (files[i].revents == 0) continue;
      auto& child = children[i];
      const bool alive = receive(child);
      const auto answer = whole_answer(child);
      if (alive && !answer) continue;
      done(child.at, answer);
      if (alive && give(child)) continue;
      end(child);
      children.erase(children.begin() + static_cast<std::ptrdiff_t>(i));
      if (alive || next == count) continue;
      add();
    }
  }
  for (; next < count; ++next) done(next, work(next));  // of which no process could be had
}

}  // namespace macaw::golden
