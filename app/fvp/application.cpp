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

/// Of a program header.
struct Segment {
  bool is_loaded = false;
  std::uint64_t offset = 0, bytes = 0, address = 0;  ///< `bytes` in the file
};

std::uint64_t segment_table_end(std::span<const std::byte> elf) {
  return field<std::uint32_t>(elf, 28) + std::uint64_t{field<std::uint16_t>(elf, 42)} * field<std::uint16_t>(elf, 44);
}

/// Headers behind the end of the file read as zeros.
std::vector<Segment> segments_of(std::span<const std::byte> elf) {
  constexpr unsigned kLoad = 1;
  std::vector<Segment> segments(field<std::uint16_t>(elf, 44));
  std::uint64_t header = field<std::uint32_t>(elf, 28);
  for (Segment& segment : segments) {
    segment = {field<std::uint32_t>(elf, header) == kLoad, field<std::uint32_t>(elf, header + 4),
               field<std::uint32_t>(elf, header + 16), field<std::uint32_t>(elf, header + 12)};
    header += field<std::uint16_t>(elf, 42);
  }
  return segments;
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
  if (field<std::uint16_t>(bytes, 42) < 32 || field<std::uint16_t>(bytes, 44) == 0 ||
      segment_table_end(bytes) > bytes.size())
    return bad("its program headers are not there");
  const auto segments = segments_of(bytes);
  for (std::size_t i = 0; i < segments.size(); ++i)
    if (segments[i].offset + segments[i].bytes > bytes.size())
      return bad(fmt::format("segment {} ends behind the end of the file", i));
  return {};
}

Result<void> check_platform(const Application& application) {
  constexpr std::uint64_t kVectors[] = {0x00000000, 0x10000000};  // the same memory
  constexpr std::uint64_t kVectorBytes = 8;                       // stack and first instruction
  MACAW_ASSIGN(const auto bytes, io::read_file(application.elf));
  bool has_vectors = false;
  const auto look_for_vectors = [&](std::uint64_t address, std::uint64_t size) {
    for (const std::uint64_t vectors : kVectors)
      has_vectors |= address <= vectors && vectors + kVectorBytes <= address + size;
  };
  const auto segments = segments_of(bytes);
  for (std::size_t i = 0; i < segments.size(); ++i) {
    if (!segments[i].is_loaded || segments[i].bytes == 0) continue;
    if (!GuestMemory::is_memory(segments[i].address, segments[i].bytes))
      return fail(
          ErrorCode::kUnsupported,
          fmt::format("segment {} is {} bytes at {:#x}, where Corstone SSE-300 does not have as much memory; is "
                      "the application built for another platform?",
                      i, segments[i].bytes, segments[i].address),
          {.file = application.elf});
    look_for_vectors(segments[i].address, segments[i].bytes);
  }
  for (const PlacedFile& placed : application.data) {
    std::error_code missing;
    look_for_vectors(placed.address, std::filesystem::file_size(placed.file, missing));
  }
  if (!has_vectors)
    return fail(ErrorCode::kUnsupported,
                fmt::format("no vector table at {:#x} or {:#x}, where the CPU of Corstone SSE-300 starts; is the "
                            "application built for another platform?",
                            kVectors[0], kVectors[1]),
                {.file = application.elf});
  return {};
}

}  // namespace macaw::app::fvp
