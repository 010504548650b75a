#pragma once
#include <poll.h>

#include <macaw/error.hpp>

#include <string>
#include <vector>

#include "app/fvp/application.hpp"
#include "app/fvp/guest_folder.hpp"

namespace macaw::app::fvp {

/// The host's end of a UART: what the guest prints, and what it receives from standard input, a file or a program that
/// connects to a port of this machine.
class UartLine {
 public:
  /// `socket` of QEMU's, which stays the caller's; -1: the UART is not used. kIo: the input cannot be opened, or no
  /// port is free.
  [[nodiscard]] static Result<UartLine> open(const Uart& uart, int socket);

  /// The port that was opened; 0: none.
  [[nodiscard]] std::uint16_t port() const { return port_; }
  /// Whether the guest has been sent anything.
  [[nodiscard]] bool has_sent() const { return has_sent_; }
  /// Adds what poll() has to wait for.
  void add_polls(std::vector<pollfd>& polls) const;
  /// Takes in what `polls` found, passes on what the guest is to receive, and returns what it has printed.
  [[nodiscard]] std::string serve(const std::vector<pollfd>& polls);
  /// Returns the output of the guest that has arrived, at once.
  [[nodiscard]] std::string printed();

 private:
  [[nodiscard]] Result<void> listen(std::uint16_t port);

  int socket_ = -1;
  Descriptor input_, listener_, peer_;
  std::uint16_t port_ = 0;
  std::string pending_;  ///< for the guest
  bool has_sent_ = false;
};

}  // namespace macaw::app::fvp
