#include "app/fvp/uart_line.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace macaw::app::fvp {
namespace {

constexpr std::uint16_t kFirstPort = 5000, kTriedPorts = 1000;
constexpr std::size_t kMostAtOnce = 4096, kMostUnread = std::size_t{1} << 16, kMostInLog = std::size_t{1} << 28;

bool is_ready(const std::vector<pollfd>& polls, int descriptor, short events) {
  return std::ranges::any_of(
      polls, [&](const pollfd& one) { return one.fd == descriptor && (one.events & events) != 0 && one.revents != 0; });
}

}  // namespace

Result<UartLine> UartLine::open(const Uart& uart, int socket) {
  UartLine line;
  line.socket_ = socket;
  if (uart.input == "-") line.input_ = Descriptor(::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0));
  else if (!uart.input.empty()) line.input_ = Descriptor(::open(uart.input.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
  if (!uart.input.empty() && !line.input_.is_open())
    return fail(ErrorCode::kIo, fmt::format("cannot open the input of a UART: {}", std::strerror(errno)),
                {.file = uart.input});
  if (uart.replaces && !uart.log.empty()) {
    line.log_name_ = uart.log;
    line.log_ = Descriptor(::open(uart.log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY, 0666));
    if (!line.log_.is_open())
      return fail(ErrorCode::kIo, fmt::format("cannot open the output of a UART: {}", std::strerror(errno)),
                  {.file = uart.log});
  }
  if (!uart.listens && !uart.offers_port) return line;
  if (auto opened = line.listen(uart.port == 0 ? kFirstPort : uart.port); !opened) {
    if (uart.listens) return tl::unexpected(std::move(opened).error());
    line.listener_ = Descriptor();
    line.port_ = 0;
  }
  return line;
}

/// Like Arm's platform, uses the first free port from `port` on.
Result<void> UartLine::listen(std::uint16_t port) {
  listener_ = Descriptor(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const int on = 1;
  static_cast<void>(::setsockopt(listener_.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on));
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  for (unsigned i = 0; i < kTriedPorts && port + i <= UINT16_MAX; ++i) {
    port_ = static_cast<std::uint16_t>(port + i);
    address.sin_port = htons(port_);
    if (::bind(listener_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 &&
        ::listen(listener_.get(), 1) == 0)
      return {};
  }
  return fail(ErrorCode::kIo, fmt::format("no port from {} on is free for a UART: {}", port, std::strerror(errno)));
}

void UartLine::add_polls(std::vector<pollfd>& polls) const {
  if (socket_ < 0) return;
  const bool has_input = !pending_.empty();
  polls.push_back({socket_, static_cast<short>(has_input ? POLLIN | POLLOUT : POLLIN), 0});
  if (listener_.is_open() && !peer_.is_open()) polls.push_back({listener_.get(), POLLIN, 0});
  if (has_input) return;
  for (const Descriptor* one : {&input_, &peer_})
    if (one->is_open()) polls.push_back({one->get(), POLLIN, 0});
}

std::string UartLine::serve(const std::vector<pollfd>& polls) {
  if (socket_ < 0) return {};
  if (listener_.is_open() && is_ready(polls, listener_.get(), POLLIN)) {
    peer_ = Descriptor(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (peer_.is_open() && !had_peer_) {
      had_peer_ = true;
      static_cast<void>(::send(peer_.get(), unread_.data(), unread_.size(), MSG_NOSIGNAL));
      unread_.clear();
    }
  }
  for (Descriptor* one : {&input_, &peer_}) {
    if (!one->is_open() || !pending_.empty() || !is_ready(polls, one->get(), POLLIN)) continue;
    char bytes[kMostAtOnce];
    const ssize_t got = ::read(one->get(), bytes, sizeof bytes);
    if (got > 0) pending_.assign(bytes, static_cast<std::size_t>(got));
    else if (got == 0 || (errno != EAGAIN && errno != EINTR)) *one = Descriptor();
  }
  if (!pending_.empty()) {
    const ssize_t sent = ::send(socket_, pending_.data(), pending_.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent > 0) {
      pending_.erase(0, static_cast<std::size_t>(sent));
      has_sent_ = true;
    }
  }
  return is_ready(polls, socket_, POLLIN) ? printed() : std::string();
}

std::string UartLine::printed() {
  char text[kMostAtOnce];
  const ssize_t got = socket_ < 0 ? -1 : ::recv(socket_, text, sizeof text, MSG_DONTWAIT);
  std::string all(text, got > 0 ? static_cast<std::size_t>(got) : 0);
  // Output that a peer does not read is lost.
  if (peer_.is_open() && !all.empty()) static_cast<void>(::send(peer_.get(), all.data(), all.size(), MSG_NOSIGNAL));
  if (listener_.is_open() && !had_peer_) {
    unread_ += all;
    if (unread_.size() > kMostUnread) unread_.erase(0, unread_.size() - kMostUnread);
  }
  return all;
}

Result<void> UartLine::write_log(std::string_view text) {
  if (!log_.is_open()) return {};
  logged_ += text.size();
  if (logged_ > kMostInLog)
    return fail(ErrorCode::kUnsupported, fmt::format("a UART printed more than {} MiB", kMostInLog >> 20),
                {.file = log_name_});
  while (!text.empty()) {
    const ssize_t written = ::write(log_.get(), text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0)
      return fail(ErrorCode::kIo, fmt::format("cannot write the output of a UART: {}", std::strerror(errno)),
                  {.file = log_name_});
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

}  // namespace macaw::app::fvp
