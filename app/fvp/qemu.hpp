#pragma once
#include <sys/types.h>

#include <array>
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

  using Sockets = std::array<int, std::tuple_size_v<Uarts>>;

  /// The socket of the GDB stub, which the caller takes over.
  [[nodiscard]] int take_gdb();
  /// Sockets of the UARTs, -1 for those that nobody wants to read.
  [[nodiscard]] const Sockets& uarts() const { return uarts_; }
  /// How it has ended, waiting for that up to a second: its exit code, or 128 and the signal; nothing: it goes on.
  [[nodiscard]] std::optional<int> ended();

 private:
  Qemu() { uarts_.fill(-1); }

  pid_t child_ = -1;
  int gdb_ = -1;
  Sockets uarts_;
};

}  // namespace macaw::app::fvp
