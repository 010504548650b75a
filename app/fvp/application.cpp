#include "app/fvp/application.hpp"

#include <fmt/format.h>

#include <cstring>
#include <filesystem>

#include "app/fvp/guest_memory.hpp"
#include "base/file.hpp"
#include "base/number_text.hpp"

namespace macaw::app::fvp {
namespace {

bool read_number(std::string_view text, std::uint64_t& value) {
  const auto number = text.starts_with("0X") ? io::number_of<std::uint64_t>(text.substr(2), 16)
                                             : io::decimal_or_hexadecimal<std::uint64_t>(text);
  if (number) value = *number;
  return number.has_value();
}

template <class T>
T field(std::span<const std::byte> bytes, std::size_t offset) {
  T value{};
  if (offset + sizeof value <= bytes.size()) std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

}  // namespace

std::string without_cpu(const std::string& text) {
  for (const std::string_view prefix : {"cpu0=", "cpu0*="})
    if (text.starts_with(prefix)) return text.substr(prefix.size());
  return text;
}

Result<PlacedFile> parse_placed_file(const std::string& text) {
  const std::size_t at = text.rfind('@');
  std::uint64_t address = 0;
  if (at == std::string::npos || at == 0 || !read_number(std::string_view(text).substr(at + 1), address) ||
      address > UINT32_MAX)
    return fail(ErrorCode::kUsage, fmt::format("--data {}: expected FILE@ADDRESS", text));
  const PlacedFile placed{text.substr(0, at), static_cast<std::uint32_t>(address)};
  // QEMU takes a comma for the end of a name.
  if (placed.file.find(',') != std::string::npos)
    return fail(ErrorCode::kUsage, fmt::format("--data {}: a name with a comma", text));
  std::error_code missing;
  if (!std::filesystem::is_regular_file(placed.file, missing))
    return fail(ErrorCode::kIo, "there is no such file", {.file = placed.file});
  return placed;
}

Result<Dump> parse_dump(const std::string& text) {
  const std::size_t at = text.rfind('@'), comma = text.find(',', at == std::string::npos ? 0 : at);
  Dump dump;
  if (at == std::string::npos || at == 0 || comma == std::string::npos ||
      !read_number(std::string_view(text).substr(at + 1, comma - at - 1), dump.address) ||
      !read_number(std::string_view(text).substr(comma + 1), dump.bytes))
    return fail(ErrorCode::kUsage, fmt::format("--dump {}: expected FILE@ADDRESS,BYTES", text));
  dump.file = text.substr(0, at);
  const std::uint64_t end = GuestMemory::kDdrBase + GuestMemory::kDdrBytes;
  if (dump.address < GuestMemory::kDdrBase || dump.address > end || dump.bytes > end - dump.address)
    return fail(ErrorCode::kUsage,
                fmt::format("--dump {}: not in the DDR, {:#x} to {:#x}", text, GuestMemory::kDdrBase, end - 1));
  return dump;
}

// The layout is that of the ELF specification, class 32.
Result<void> check_elf(const std::string& file) {
  MACAW_ASSIGN(const auto bytes, io::read_file(file));
  const auto bad = [&](const std::string& what) { return fail(ErrorCode::kInvalidFile, what, {.file = file}); };
  if (bytes.size() < 52 || std::memcmp(bytes.data(),
                                       "\x7f"
                                       "ELF",
                                       4) != 0)
    return bad("not an ELF file");
  constexpr unsigned kClass32 = 1, kLittle = 1, kArm = 40, kExecutable = 2;
  if (field<std::uint8_t>(bytes, 4) != kClass32 || field<std::uint8_t>(bytes, 5) != kLittle ||
      field<std::uint16_t>(bytes, 16) != kExecutable || field<std::uint16_t>(bytes, 18) != kArm)
    return bad("not an executable for a 32-bit little-endian Arm CPU");
  const std::uint64_t headers = field<std::uint32_t>(bytes, 28), size = field<std::uint16_t>(bytes, 42),
                      count = field<std::uint16_t>(bytes, 44);
  if (size < 32 || count == 0 || headers + size * count > bytes.size()) return bad("its program headers are not there");
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t header = headers + i * size;
    const std::uint64_t offset = field<std::uint32_t>(bytes, header + 4),
                        length = field<std::uint32_t>(bytes, header + 16);
    if (offset + length > bytes.size()) return bad(fmt::format("segment {} ends behind the end of the file", i));
  }
  return {};
}

}  // namespace macaw::app::fvp
