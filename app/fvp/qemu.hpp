#pragma once
#include <sys/types.h>

#include <optional>

#include "app/fvp/application.hpp"

namespace macaw::app::fvp {

/// QEMU as a child process, stopped before the first instruction. It ends with this object, or with this process.
class Qemu {
 public:
  /// kUnsupported: there is no QEMU. `ddr`: descriptor of the memory to share.
  [[nodiscard]] static Result<Qemu> start(const Application& application, int ddr);
  Qemu(Qemu&& other) noexcept;
  Qemu& operator=(Qemu&&) = delete;
  ~Qemu();

  /// Sockets of the GDB stub, which the caller takes over, and of UART 0.
  [[nodiscard]] int take_gdb();
  [[nodiscard]] int uart() const { return uart_; }
  /// How it has ended, waiting for that up to a second: its exit code, or 128 and the signal; nothing: it goes on.
  [[nodiscard]] std::optional<int> ended();

 private:
  Qemu() = default;

  pid_t child_ = -1;
  int gdb_ = -1, uart_ = -1;
};

}  // namespace macaw::app::fvp
