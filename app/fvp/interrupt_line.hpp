#pragma once
#include "app/fvp/channel.hpp"

namespace macaw::app::fvp {

/// The NPU's interrupt line into QEMU's machine, a level as on the board, set by QEMU's qtest protocol. It needs
/// nothing of the guest's, so that neither a pending exception nor the guest's privileges come in between.
class InterruptLine {
 public:
  /// Takes over the socket of QEMU's qtest object. `number`: of the interrupt.
  InterruptLine(int socket, unsigned number, GoOn go_on) : number_(number), channel_(socket, std::move(go_on)) {}

  /// Does nothing where the line has that level. kIo: QEMU refuses, or is gone.
  [[nodiscard]] Result<void> set(bool level);
  /// Sets it to what it is, for no other reason than that QEMU's main loop takes notice: it looks for input that a UART
  /// may take when something else happens (hw/char/cmsdk-apb-uart.c does not report that the guest has enabled input).
  [[nodiscard]] Result<void> repeat() { return send(level_); }

 private:
  [[nodiscard]] Result<void> send(bool level);

  unsigned number_;
  Channel channel_;
  bool level_ = false;
};

}  // namespace macaw::app::fvp
