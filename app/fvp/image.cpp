#include "app/fvp/image.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <optional>
#include <span>

#include "base/file.hpp"
#include "base/number_text.hpp"

namespace macaw::app::fvp {
namespace {

template <class T>
T field(std::span<const std::byte> bytes, std::size_t offset) {
  T value{};
  if (offset + sizeof value <= bytes.size()) std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

/// The segments with contents in the file. The layout is that of the ELF specification, class 32.
Result<std::vector<Extent>> elf_extents(std::span<const std::byte> bytes, const std::string& file) {
  const auto bad = [&](const std::string& what) { return fail(ErrorCode::kInvalidFile, what, {.file = file}); };
  constexpr unsigned kClass32 = 1, kLittle = 1, kArm = 40, kExecutable = 2, kLoad = 1, kHeader = 32;
  if (field<std::uint8_t>(bytes, 4) != kClass32 || field<std::uint8_t>(bytes, 5) != kLittle ||
      field<std::uint16_t>(bytes, 16) != kExecutable || field<std::uint16_t>(bytes, 18) != kArm)
    return bad("not an executable for a 32-bit little-endian Arm CPU");
  const std::uint64_t table = field<std::uint32_t>(bytes, 28);
  const unsigned size = field<std::uint16_t>(bytes, 42), count = field<std::uint16_t>(bytes, 44);
  if (size < kHeader || count == 0 || table + std::uint64_t{size} * count > bytes.size())
    return bad("its program headers are not there");
  std::vector<Extent> extents;
  for (unsigned i = 0; i < count; ++i) {
    const std::uint64_t at = table + std::uint64_t{i} * size;
    const std::uint64_t offset = field<std::uint32_t>(bytes, at + 4), in_file = field<std::uint32_t>(bytes, at + 16);
    if (offset + in_file > bytes.size()) return bad(fmt::format("segment {} ends behind the end of the file", i));
    if (field<std::uint32_t>(bytes, at) == kLoad && in_file > 0)
      extents.push_back({field<std::uint32_t>(bytes, at + 12), in_file});
  }
  return extents;
}

/// A line of Intel HEX without its colon, checked.
std::optional<std::vector<std::uint8_t>> hex_record(std::string_view digits) {
  constexpr std::size_t kAround = 5;  // count, address, type and checksum
  if (digits.size() % 2 != 0 || digits.size() < 2 * kAround) return {};
  std::vector<std::uint8_t> record;
  unsigned sum = 0;
  for (std::size_t i = 0; i < digits.size(); i += 2) {
    const auto byte = io::number_of<std::uint8_t>(digits.substr(i, 2), 16);
    if (!byte) return {};
    record.push_back(*byte);
    sum += *byte;
  }
  if (record.size() != kAround + record[0] || sum % 256 != 0) return {};
  return record;
}

/// Intel's Hexadecimal Object File Format Specification, revision A, of 1988.
Result<std::vector<Extent>> hex_extents(std::string_view text, const std::string& file) {
  constexpr unsigned kData = 0, kEnd = 1, kSegment = 2, kLinear = 4, kLast = 5;
  std::vector<Extent> extents;
  std::uint64_t base = 0;
  for (std::size_t line = 1; !text.empty(); ++line) {
    std::string_view digits = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), digits.size() + 1));
    if (digits.ends_with('\r')) digits.remove_suffix(1);
    if (digits.empty()) continue;
    const auto record = digits.starts_with(':') ? hex_record(digits.substr(1)) : std::nullopt;
    if (!record || (*record)[3] > kLast)
      return fail(ErrorCode::kInvalidFile, fmt::format("line {} is not a record of Intel HEX", line), {.file = file});
    const unsigned type = (*record)[3], high = record->size() > 5 ? (*record)[4] * 256u + (*record)[5] : 0;
    if (type == kEnd) return extents;
    if (type == kSegment) base = std::uint64_t{high} << 4;
    if (type == kLinear) base = std::uint64_t{high} << 16;
    if (type != kData) continue;
    const std::uint64_t address = base + (*record)[1] * 256u + (*record)[2];
    if (!extents.empty() && extents.back().address + extents.back().bytes == address)
      extents.back().bytes += (*record)[0];
    else extents.push_back({address, (*record)[0]});
  }
  return fail(ErrorCode::kInvalidFile, "Intel HEX without a record that ends it", {.file = file});
}

bool is_elf(std::span<const std::byte> bytes) {
  constexpr std::array kMagic = {std::byte{0x7f}, std::byte{'E'}, std::byte{'L'}, std::byte{'F'}};
  return bytes.size() >= 52 && std::ranges::equal(kMagic, bytes.first(kMagic.size()));
}

}  // namespace

std::optional<std::uint64_t> read_number(std::string_view text) {
  if (text.starts_with("0X")) return io::number_of<std::uint64_t>(text.substr(2), 16);
  return io::decimal_or_hexadecimal<std::uint64_t>(text);
}

std::optional<std::uint64_t> read_address(std::string_view text) {
  const std::size_t colon = text.find(':');
  return read_number(colon == std::string_view::npos ? text : text.substr(colon + 1));
}

Result<std::string> without_cpu(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (!text.starts_with("cpu") || equals == std::string::npos || text.find('/') < equals) return text;
  // Platforms of 2021 have all instances below cpu_core.
  constexpr std::string_view kTop = "cpu_core.";
  const std::size_t start = text.starts_with(kTop) ? kTop.size() : 0;
  const std::string cpu = text.substr(start, equals - start);
  if (cpu != "cpu0" && cpu != "cpu0*" && cpu != "cpu*")
    return fail(ErrorCode::kUsage, fmt::format("{}: the platform has one CPU, cpu0", text));
  return text.substr(equals + 1);
}

Result<Image> read_raw_image(const std::string& text, const char* option) {
  const std::size_t at = text.rfind('@');
  const auto address = at == std::string::npos ? std::nullopt : read_address(std::string_view(text).substr(at + 1));
  if (!address || at == 0 || *address > UINT32_MAX)
    return fail(ErrorCode::kUsage, fmt::format("{} {}: expected FILE@ADDRESS", option, text));
  Image image{text.substr(0, at), Image::Kind::kRaw, static_cast<std::uint32_t>(*address), {}};
  // QEMU takes a comma as the end of a name.
  if (image.file.find(',') != std::string::npos)
    return fail(ErrorCode::kUsage, fmt::format("{} {}: a name with a comma", option, text));
  std::error_code missing;
  if (!std::filesystem::is_regular_file(image.file, missing))
    return fail(ErrorCode::kIo, "file not found", {.file = image.file});
  image.extents.push_back({image.address, std::filesystem::file_size(image.file, missing)});
  return image;
}

Result<Image> read_image(const std::string& text) {
  MACAW_ASSIGN(const std::string name, without_cpu(text));
  std::error_code missing;
  if (const auto at = name.rfind('@'); at != std::string::npos && !std::filesystem::exists(name, missing))
    return read_raw_image(name, "-a");
  if (name.find(',') != std::string::npos)
    return fail(ErrorCode::kUsage, fmt::format("-a {}: a name with a comma", name));
  Image image{name, Image::Kind::kElf, 0, {}};
  MACAW_ASSIGN(const auto bytes, io::read_file(name));
  if (is_elf(bytes)) {
    MACAW_ASSIGN(image.extents, elf_extents(bytes, name));
    return image;
  }
  const std::string_view characters(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (!characters.starts_with(':'))
    return fail(ErrorCode::kInvalidFile, "not an ELF file, and not Intel HEX; raw bytes are named FILE@ADDRESS",
                {.file = name});
  image.kind = Image::Kind::kHex;
  MACAW_ASSIGN(image.extents, hex_extents(characters, name));
  return image;
}

}  // namespace macaw::app::fvp
