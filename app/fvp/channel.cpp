#include "app/fvp/channel.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>

namespace macaw::app::fvp {
namespace {

constexpr int kPatienceMs = 30'000;  // for an answer

tl::unexpected<Error> ended() { return fail(ErrorCode::kIo, "QEMU has ended"); }

}  // namespace

Channel::~Channel() { ::close(socket_); }

Result<void> Channel::wait(short events) {
  for (int waited = 0; waited < kPatienceMs; waited += kTickMs) {
    pollfd one{socket_, events, 0};
    static_cast<void>(::poll(&one, 1, kTickMs));
    if (one.revents != 0) return {};
    MACAW_CHECK(go_on_());
  }
  return fail(ErrorCode::kIo, "QEMU does not answer");
}

Result<void> Channel::send(std::string_view text) {
  while (!text.empty()) {
    const ssize_t sent = ::send(socket_, text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent > 0) {
      text.remove_prefix(static_cast<std::size_t>(sent));
    } else if (errno == EAGAIN || errno == EINTR) {
      MACAW_CHECK(wait(POLLOUT));
    } else {
      return ended();
    }
  }
  return {};
}

Result<std::string> Channel::receive() {
  for (;;) {
    MACAW_CHECK(wait(POLLIN));
    char buffer[std::size_t{1} << 16];
    const ssize_t got = ::recv(socket_, buffer, sizeof buffer, MSG_DONTWAIT);
    if (got > 0) return std::string(buffer, static_cast<std::size_t>(got));
    if (got == 0 || (errno != EAGAIN && errno != EINTR)) return ended();
  }
}

}  // namespace macaw::app::fvp
