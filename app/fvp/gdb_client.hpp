#pragma once
#include <macaw/error.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/fvp/channel.hpp"

namespace macaw::app::fvp {

/// Registers of a Cortex-M, numbered as in GDB's protocol.
struct CpuRegisters {
  std::uint32_t r[16] = {};  ///< r[15]: address of the next instruction
  std::uint32_t xpsr = 0;
};

/// Client of GDB's remote protocol, for QEMU's stub of a Cortex-M. Errors are kIo: the connection was closed, or an
/// answer is malformed.
class GdbClient {
 public:
  /// Takes over a connected socket.
  GdbClient(int socket, GoOn go_on) : channel_(socket, std::move(go_on)) {}

  [[nodiscard]] int socket() const { return channel_.socket(); }
  /// Negotiates the packet size, and makes the requests that QEMU expects before registers can be written.
  [[nodiscard]] Result<void> open();
  /// Stops the guest before it accesses the range.
  [[nodiscard]] Result<void> watch(std::uint32_t address, std::uint32_t bytes);
  /// Resumes the guest.
  [[nodiscard]] Result<void> resume() { return send("c"); }
  /// Waits for data and reads it.
  [[nodiscard]] Result<void> receive();
  /// The next packet that has arrived, such as "T05..." (the guest has stopped), "W00" (it has exited with that code)
  /// or "Fwrite,..." (a system call, which reply() completes).
  [[nodiscard]] std::optional<std::string> take_packet();
  /// Completes a system call; the guest resumes.
  [[nodiscard]] Result<void> reply(const std::string& packet) { return send(packet); }

  [[nodiscard]] Result<CpuRegisters> registers();
  /// 0 to 15, or kXpsr.
  [[nodiscard]] Result<void> write_register(unsigned number, std::uint32_t value);
  static constexpr unsigned kXpsr = 16;
  [[nodiscard]] Result<void> read_memory(std::uint32_t address, std::span<std::uint8_t> bytes);
  [[nodiscard]] Result<void> write_memory(std::uint32_t address, std::span<const std::uint8_t> bytes);

 private:
  [[nodiscard]] Result<void> send(const std::string& packet);
  [[nodiscard]] Result<std::string> answer();
  [[nodiscard]] Result<std::string> request(const std::string& packet);
  [[nodiscard]] Result<void> confirmed(const std::string& packet);
  /// Sends the packets `make(i)` of `count` requests, several of them in flight, and calls `take(i, answer)` for the
  /// answers.
  template <class Make, class Take>
  Result<void> request_all(std::size_t count, const Make& make, const Take& take);

  Channel channel_;
  std::string received_;
  std::size_t packet_size_ = 512;  ///< packet size limit in characters; the answer to open()
};

}  // namespace macaw::app::fvp
