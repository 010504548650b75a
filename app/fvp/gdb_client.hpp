#pragma once
#include <macaw/error.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace macaw::app::fvp {

/// Registers of a Cortex-M as GDB's protocol numbers them.
struct CpuRegisters {
  std::uint32_t r[16] = {};  ///< r[15]: the instruction that is executed next
  std::uint32_t xpsr = 0;
};

/// The client side of GDB's remote protocol, as far as QEMU's stub speaks it for a Cortex-M. Errors are kIo: the other
/// side is gone or answers what it should not.
class GdbClient {
 public:
  /// Takes over a connected socket.
  explicit GdbClient(int socket) : socket_(socket) {}
  ~GdbClient();
  GdbClient(const GdbClient&) = delete;
  GdbClient& operator=(const GdbClient&) = delete;

  [[nodiscard]] int socket() const { return socket_; }
  /// What has to be said before registers can be written.
  [[nodiscard]] Result<void> open();
  /// Stops the guest before it accesses the range.
  [[nodiscard]] Result<void> watch(std::uint32_t address, std::uint32_t bytes);
  /// Lets the guest go on. It stops when take_stop() says so.
  [[nodiscard]] Result<void> resume() { return send("c"); }
  /// Reads what has arrived; whether the guest has stopped.
  [[nodiscard]] Result<bool> take_stop();
  /// One instruction, with interrupts held off.
  [[nodiscard]] Result<void> step();

  [[nodiscard]] Result<CpuRegisters> registers();
  /// 0 to 15, or kXpsr.
  [[nodiscard]] Result<void> write_register(unsigned number, std::uint32_t value);
  static constexpr unsigned kXpsr = 16;
  [[nodiscard]] Result<void> read_memory(std::uint32_t address, std::span<std::uint8_t> bytes);
  [[nodiscard]] Result<void> write_memory(std::uint32_t address, std::span<const std::uint8_t> bytes);

 private:
  [[nodiscard]] Result<void> send(const std::string& packet);
  [[nodiscard]] Result<void> receive();
  [[nodiscard]] std::optional<std::string> take_packet();
  [[nodiscard]] Result<std::string> answer();
  [[nodiscard]] Result<std::string> request(const std::string& packet);
  [[nodiscard]] Result<void> confirmed(const std::string& packet);

  int socket_;
  std::string received_;
};

}  // namespace macaw::app::fvp
