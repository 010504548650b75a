#pragma once
#include <macaw/error.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace macaw::app::fvp {

/// Bytes of the guest's memory.
struct Extent {
  std::uint64_t address = 0, bytes = 0;
};

/// A file that is loaded before the CPU starts.
struct Image {
  enum class Kind { kElf, kHex, kRaw };
  std::string file;
  Kind kind = Kind::kElf;
  std::uint32_t address = 0;      ///< kRaw only
  std::vector<Extent> extents{};  ///< address ranges with contents
};

/// Reads "FILE", an ELF executable for 32-bit Arm or Intel HEX (.hex, .ihex), or "FILE@ADDRESS", raw bytes. The name of
/// the CPU may precede it, "cpu0=FILE". kUsage: another form; kIo: the file cannot be read; kInvalidFile: unknown
/// format.
[[nodiscard]] Result<Image> read_image(const std::string& text);
/// Only "FILE@ADDRESS"; `option` is named in errors.
[[nodiscard]] Result<Image> read_raw_image(const std::string& text, const char* option);

/// `text` without a leading CPU name.
[[nodiscard]] Result<std::string> without_cpu(const std::string& text);
/// Decimal, or hexadecimal after 0x or 0X.
[[nodiscard]] std::optional<std::uint64_t> read_number(std::string_view text);
/// A number after the name of a memory space, if there is one: "0x60000000" or "Secure:0x60000000". The platforms have
/// the same memory in all spaces.
[[nodiscard]] std::optional<std::uint64_t> read_address(std::string_view text);

}  // namespace macaw::app::fvp
