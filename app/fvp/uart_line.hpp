#pragma once
#include <poll.h>

#include <macaw/error.hpp>

#include <string>
#include <string_view>
#include <vector>

#include "app/fvp/application.hpp"
#include "app/fvp/guest_folder.hpp"

namespace macaw::app::fvp {

/// The host's end of a UART: receives what the guest prints, and sends input from standard input, a file or a program
/// that connects to a port of this machine. A program that connects first receives what was printed before, up to 64
/// KiB.
class UartLine {
 public:
  /// `socket`: QEMU's, owned by the caller; -1: the UART is not used. kIo: the input or the log cannot be opened, or no
  /// port is free.
  [[nodiscard]] static Result<UartLine> open(const Uart& uart, int socket);

  /// The port that was opened; 0: none.
  [[nodiscard]] std::uint16_t port() const { return port_; }
  /// Whether any input has been sent to the guest.
  [[nodiscard]] bool has_sent() const { return has_sent_; }
  /// Adds the descriptors that poll() has to wait for.
  void add_polls(std::vector<pollfd>& polls) const;
  /// Handles the events of `polls`, sends input to the guest, and returns the guest's output.
  [[nodiscard]] std::string serve(const std::vector<pollfd>& polls);
  /// Returns the guest's output that has arrived, without waiting.
  [[nodiscard]] std::string printed();
  /// Writes to the file of a UART that replaces it; kIo if that fails.
  [[nodiscard]] Result<void> write_log(std::string_view text);

 private:
  [[nodiscard]] Result<void> listen(std::uint16_t port);

  int socket_ = -1;
  Descriptor input_, listener_, peer_, log_;
  std::uint16_t port_ = 0;
  std::string pending_;  ///< for the guest
  std::string unread_;   ///< the guest's output before the first connection
  std::string log_name_;
  std::size_t logged_ = 0;  ///< bytes in the log
  bool had_peer_ = false;
  bool has_sent_ = false;
};

}  // namespace macaw::app::fvp
