#pragma once
#include "app/fvp/channel.hpp"

namespace macaw::app::fvp {

/// The NPU's level-triggered interrupt line into QEMU's machine, set by QEMU's qtest protocol. It is independent of the
/// guest's state, such as pending exceptions and privileges.
class InterruptLine {
 public:
  /// Takes over the socket of QEMU's qtest object. `number`: the interrupt.
  InterruptLine(int socket, unsigned number, GoOn go_on) : number_(number), channel_(socket, std::move(go_on)) {}

  /// Does nothing if the line has that level. kIo: QEMU refuses, or has exited.
  [[nodiscard]] Result<void> set(bool level);
  /// Sets the present level again to wake up QEMU's main loop, which checks for UART input only when something else
  /// happens (hw/char/cmsdk-apb-uart.c does not report that the guest has enabled input).
  [[nodiscard]] Result<void> repeat() { return send(level_); }

 private:
  [[nodiscard]] Result<void> send(bool level);

  unsigned number_;
  Channel channel_;
  bool level_ = false;
};

}  // namespace macaw::app::fvp
