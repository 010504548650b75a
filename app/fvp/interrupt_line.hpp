#pragma once
#include "app/fvp/channel.hpp"

namespace macaw::app::fvp {

/// The NPU's interrupt line into QEMU's machine, a level as on the board, set by QEMU's qtest protocol. It needs
/// nothing of the guest's, so that neither a pending exception nor the guest's privileges come in between.
class InterruptLine {
 public:
  /// Takes over the socket of QEMU's qtest object.
  InterruptLine(int socket, GoOn go_on) : channel_(socket, std::move(go_on)) {}

  /// Does nothing where the line has that level. kIo: QEMU refuses, or is gone.
  [[nodiscard]] Result<void> set(bool level);

 private:
  Channel channel_;
  bool level_ = false;
};

}  // namespace macaw::app::fvp
