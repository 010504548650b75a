#include "app/fvp/gdb_client.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace macaw::app::fvp {
namespace {

constexpr std::size_t kMostBytes = 512;  // of memory in a packet
constexpr unsigned kXpsrOfGdb = 25;      // QEMU's number

std::string hex(std::span<const std::uint8_t> bytes) {
  std::string text;
  for (const std::uint8_t byte : bytes) text += fmt::format("{:02x}", byte);
  return text;
}

/// False: `text` is not the hexadecimal digits of so many bytes.
bool read_hex(std::string_view text, std::span<std::uint8_t> bytes) {
  if (text.size() < 2 * bytes.size()) return false;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const char* const first = text.data() + 2 * i;
    if (std::from_chars(first, first + 2, bytes[i], 16).ptr != first + 2) return false;
  }
  return true;
}

std::uint32_t little_endian(const std::uint8_t* bytes) {
  return bytes[0] | std::uint32_t{bytes[1]} << 8 | std::uint32_t{bytes[2]} << 16 | std::uint32_t{bytes[3]} << 24;
}

}  // namespace

Result<void> GdbClient::send(const std::string& packet) {
  unsigned sum = 0;
  for (const char c : packet) sum += static_cast<unsigned char>(c);
  return channel_.send(fmt::format("${}#{:02x}", packet, sum & 0xff));
}

Result<void> GdbClient::receive() {
  MACAW_ASSIGN(const std::string more, channel_.receive());
  received_ += more;
  return {};
}

std::optional<std::string> GdbClient::take_packet() {
  const std::size_t start = received_.find('$');
  const std::size_t end = start == std::string::npos ? start : received_.find('#', start);
  if (end == std::string::npos || received_.size() < end + 3) return std::nullopt;
  std::string packet = received_.substr(start + 1, end - start - 1);
  received_.erase(0, end + 3);
  // Where it cannot be acknowledged, the next request fails.
  static_cast<void>(channel_.send("+"));
  return packet;
}

Result<std::string> GdbClient::answer() {
  for (;;) {
    if (auto packet = take_packet()) return *std::move(packet);
    MACAW_CHECK(receive());
  }
}

Result<std::string> GdbClient::request(const std::string& packet) {
  MACAW_CHECK(send(packet));
  return answer();
}

Result<void> GdbClient::confirmed(const std::string& packet) {
  MACAW_ASSIGN(const std::string said, request(packet));
  if (said != "OK") return fail(ErrorCode::kIo, fmt::format("QEMU answers '{}' to '{}'", said, packet.substr(0, 20)));
  return {};
}

Result<void> GdbClient::open() {
  MACAW_CHECK(request("qSupported:qXfer:features:read+"));
  // QEMU takes writes of single registers only from who knows its description of them.
  MACAW_CHECK(request("qXfer:features:read:target.xml:0,ffb"));
  return {};
}

Result<void> GdbClient::watch(std::uint32_t address, std::uint32_t bytes) {
  return confirmed(fmt::format("Z4,{:x},{:x}", address, bytes));
}

Result<CpuRegisters> GdbClient::registers() {
  MACAW_ASSIGN(const std::string said, request("g"));
  std::uint8_t bytes[17 * 4];
  if (!read_hex(said, bytes)) return fail(ErrorCode::kIo, "QEMU does not tell the CPU's registers");
  CpuRegisters registers;
  for (unsigned i = 0; i < 16; ++i) registers.r[i] = little_endian(bytes + 4 * i);
  registers.xpsr = little_endian(bytes + 64);
  return registers;
}

Result<void> GdbClient::write_register(unsigned number, std::uint32_t value) {
  const std::uint8_t bytes[] = {static_cast<std::uint8_t>(value), static_cast<std::uint8_t>(value >> 8),
                                static_cast<std::uint8_t>(value >> 16), static_cast<std::uint8_t>(value >> 24)};
  return confirmed(fmt::format("P{:x}={}", number == kXpsr ? kXpsrOfGdb : number, hex(bytes)));
}

Result<void> GdbClient::read_memory(std::uint32_t address, std::span<std::uint8_t> bytes) {
  while (!bytes.empty()) {
    const auto part = bytes.first(std::min(bytes.size(), kMostBytes));
    MACAW_ASSIGN(const std::string said, request(fmt::format("m{:x},{:x}", address, part.size())));
    if (!read_hex(said, part)) return fail(ErrorCode::kIo, fmt::format("QEMU has no memory at {:#x}", address));
    bytes = bytes.subspan(part.size());
    address += static_cast<std::uint32_t>(part.size());
  }
  return {};
}

Result<void> GdbClient::write_memory(std::uint32_t address, std::span<const std::uint8_t> bytes) {
  while (!bytes.empty()) {
    const auto part = bytes.first(std::min(bytes.size(), kMostBytes));
    MACAW_CHECK(confirmed(fmt::format("M{:x},{:x}:{}", address, part.size(), hex(part))));
    bytes = bytes.subspan(part.size());
    address += static_cast<std::uint32_t>(part.size());
  }
  return {};
}

}  // namespace macaw::app::fvp
