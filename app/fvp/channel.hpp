#pragma once
#include <macaw/error.hpp>

#include <functional>
#include <string>
#include <string_view>

namespace macaw::app::fvp {

/// Called while waiting; an error ends the wait.
using GoOn = std::function<Result<void>()>;

constexpr int kTickMs = 200;  ///< interval between two calls

/// A socket to QEMU. Errors are kIo, or those of `go_on`, so that a QEMU that neither reads nor answers cannot exceed a
/// time limit.
class Channel {
 public:
  /// Takes over a connected socket.
  Channel(int socket, GoOn go_on) : socket_(socket), go_on_(std::move(go_on)) {}
  ~Channel();
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  [[nodiscard]] int socket() const { return socket_; }
  [[nodiscard]] Result<void> send(std::string_view text);
  /// Waits for text to arrive and returns it.
  [[nodiscard]] Result<std::string> receive();

 private:
  [[nodiscard]] Result<void> wait(short events);

  int socket_;
  GoOn go_on_;
};

}  // namespace macaw::app::fvp
