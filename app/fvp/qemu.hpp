#pragma once
#include <sys/types.h>

#include <array>
#include <optional>

#include "app/fvp/application.hpp"

namespace macaw::app::fvp {

/// QEMU as a child process, stopped before the first instruction. It ends with this object, or with this process. It
/// opens no file that the guest names, has no network card, and runs in QEMU's sandbox.
class Qemu {
 public:
  /// kUnsupported: QEMU is not installed. `ddr`: descriptor of the memory to share.
  [[nodiscard]] static Result<Qemu> start(const Application& application, int ddr);
  Qemu(Qemu&& other) noexcept;
  Qemu& operator=(Qemu&&) = delete;
  ~Qemu();

  using Sockets = std::array<int, std::tuple_size_v<Uarts>>;

  /// The sockets of the GDB stub and of the interrupt line, which the caller takes over.
  [[nodiscard]] int take_gdb();
  [[nodiscard]] int take_interrupt();
  /// Sockets of the UARTs, -1 for unused ones.
  [[nodiscard]] const Sockets& uarts() const { return uarts_; }
  /// Processor time of its process.
  [[nodiscard]] double cpu_seconds() const;
  /// Descriptor from which read_messages() reads the messages of QEMU itself.
  [[nodiscard]] int messages() const { return messages_; }
  void read_messages();
  /// Why QEMU ended without an exit of the application; waits for its end for up to a second. kHardwareFault: the CPU
  /// locked up.
  [[nodiscard]] Error end_of_run();

 private:
  Qemu() { uarts_.fill(-1); }

  pid_t child_ = -1;
  int gdb_ = -1, interrupt_ = -1, messages_ = -1;
  Sockets uarts_;
  std::string program_, printed_;
};

}  // namespace macaw::app::fvp
