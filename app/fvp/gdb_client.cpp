#include "app/fvp/gdb_client.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/number_text.hpp"

namespace macaw::app::fvp {
namespace {

constexpr unsigned kXpsrOfGdb = 25;     // QEMU's number
constexpr std::size_t kUnderWay = 16;   // memory requests in flight; their answers fit into the socket's buffers
constexpr std::size_t kWriteHead = 32;  // characters of "M20000000,100:" and around it, at most

std::string hex(std::span<const std::uint8_t> bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text(2 * bytes.size(), ' ');
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    text[2 * i] = kDigits[bytes[i] >> 4];
    text[2 * i + 1] = kDigits[bytes[i] & 15];
  }
  return text;
}

/// The value of a hexadecimal digit; 16: not a digit.
constexpr std::array<std::uint8_t, 256> kDigitValues = [] {
  std::array<std::uint8_t, 256> values{};
  values.fill(16);
  for (unsigned i = 0; i < 10; ++i) values['0' + i] = static_cast<std::uint8_t>(i);
  for (unsigned i = 10; i < 16; ++i) values['a' + i - 10] = values['A' + i - 10] = static_cast<std::uint8_t>(i);
  return values;
}();

/// False if `text` is not the hexadecimal digits of that many bytes.
bool read_hex(std::string_view text, std::span<std::uint8_t> bytes) {
  if (text.size() < 2 * bytes.size()) return false;
  unsigned all = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const unsigned high = kDigitValues[static_cast<unsigned char>(text[2 * i])];
    const unsigned low = kDigitValues[static_cast<unsigned char>(text[2 * i + 1])];
    bytes[i] = static_cast<std::uint8_t>(high << 4 | low);
    all |= high | low;
  }
  return all < 16;
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
  // If it cannot be acknowledged, the next request fails.
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

template <class Make, class Take>
Result<void> GdbClient::request_all(std::size_t count, const Make& make, const Take& take) {
  std::size_t sent = 0;
  for (std::size_t answered = 0; answered < count; ++answered) {
    for (; sent < count && sent - answered < kUnderWay; ++sent) MACAW_CHECK(send(make(sent)));
    MACAW_ASSIGN(const std::string said, answer());
    MACAW_CHECK(take(answered, said));
  }
  return {};
}

Result<void> GdbClient::open() {
  MACAW_ASSIGN(const std::string supported, request("qSupported:qXfer:features:read+"));
  constexpr std::string_view kSize = "PacketSize=";
  if (const auto at = supported.find(kSize); at != std::string::npos) {
    const auto value = std::string_view(supported).substr(at + kSize.size());
    const auto size = io::number_of<std::size_t>(value.substr(0, value.find(';')), 16);
    packet_size_ = std::clamp<std::size_t>(size.value_or(packet_size_), 128, std::size_t{1} << 16);
  }
  // QEMU accepts writes of single registers only from a client that has read the register description.
  MACAW_CHECK(request("qXfer:features:read:target.xml:0,ffb"));
  return {};
}

Result<void> GdbClient::watch(std::uint32_t address, std::uint32_t bytes) {
  return confirmed(fmt::format("Z4,{:x},{:x}", address, bytes));
}

Result<CpuRegisters> GdbClient::registers() {
  MACAW_ASSIGN(const std::string said, request("g"));
  std::uint8_t bytes[17 * 4];
  if (!read_hex(said, bytes)) return fail(ErrorCode::kIo, "QEMU does not return the registers of the CPU");
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
  const std::size_t most = packet_size_ / 2;
  const auto part = [&](std::size_t i) { return bytes.subspan(i * most, std::min(most, bytes.size() - i * most)); };
  const auto at = [&](std::size_t i) { return address + static_cast<std::uint32_t>(i * most); };
  return request_all((bytes.size() + most - 1) / most,
                     [&](std::size_t i) { return fmt::format("m{:x},{:x}", at(i), part(i).size()); },
                     [&](std::size_t i, const std::string& said) -> Result<void> {
                       if (!read_hex(said, part(i)))
                         return fail(ErrorCode::kIo, fmt::format("QEMU has no memory at {:#x}", at(i)));
                       return {};
                     });
}

Result<void> GdbClient::write_memory(std::uint32_t address, std::span<const std::uint8_t> bytes) {
  const std::size_t most = (packet_size_ - kWriteHead) / 2;
  const auto part = [&](std::size_t i) { return bytes.subspan(i * most, std::min(most, bytes.size() - i * most)); };
  const auto at = [&](std::size_t i) { return address + static_cast<std::uint32_t>(i * most); };
  return request_all((bytes.size() + most - 1) / most,
                     [&](std::size_t i) { return fmt::format("M{:x},{:x}:{}", at(i), part(i).size(), hex(part(i))); },
                     [&](std::size_t i, const std::string& said) -> Result<void> {
                       if (said != "OK")
                         return fail(ErrorCode::kIo, fmt::format("QEMU cannot write memory at {:#x}: {}", at(i), said));
                       return {};
                     });
}

}  // namespace macaw::app::fvp
